import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitIntoFacets } from '../../lib/routing/facets.ts';

describe('splitIntoFacets', () => {
  it.each<[what: string, request: string, facets: string[]]>([
    ['nothing', '', []],
    ['white space', ' \n\t ', []],
    ['no word at all', ' 🙂 ?! ', ['🙂 ?!']],
    ['one need', 'Summarise this paper for me', ['Summarise this paper for me']],
    [
      'sentences',
      'Read the log of last night. Tell me what broke! Who has to know about it?',
      ['Read the log of last night.', 'Tell me what broke!', 'Who has to know about it?'],
    ],
    [
      'clauses',
      'Clean the customer list, draw a bar chart; write the covering letter: polite but firm in tone',
      [
        'Clean the customer list',
        'draw a bar chart',
        'write the covering letter',
        'polite but firm in tone',
      ],
    ],
    [
      'dashes, but not hyphens',
      'Check the add-on for leaks – then publish the well-known one — and tell the others',
      ['Check the add-on for leaks', 'then publish the well-known one', 'and tell the others'],
    ],
    [
      'numbers and addresses with marks inside',
      'Convert 1,250.50 euros at 10:30 today, mail it to ann@example.org, thank you',
      ['Convert 1,250.50 euros at 10:30 today', 'mail it to ann@example.org, thank you'],
    ],
    [
      'numbered steps',
      'Please:\n1. transcribe the board meeting\n2) list the open questions\n  3. translate it into French',
      [
        'Please:\n1. transcribe the board meeting',
        'list the open questions',
        'translate it into French',
      ],
    ],
    [
      'bullets',
      '- resize all the photos\n* strip the location data\n• put them on a page',
      ['resize all the photos', 'strip the location data', 'put them on a page'],
    ],
    [
      'steps in a line',
      'Do all of this now: (a) review the open request, (b) write a change log (c) roll out the new image',
      [
        'Do all of this now',
        'review the open request',
        'write a change log',
        'roll out the new image',
      ],
    ],
    [
      'wrapped lines',
      'Find the slowest query in the\nnightly report and make it\nfaster without an index.\nThen write it all up',
      [
        'Find the slowest query in the\nnightly report and make it\nfaster without an index.',
        'Then write it all up',
      ],
    ],
    [
      'German',
      'Werte die Umfrage aus, erstelle daraus drei Diagramme. Danach schreibe bitte eine Pressemitteilung.',
      [
        'Werte die Umfrage aus',
        'erstelle daraus drei Diagramme.',
        'Danach schreibe bitte eine Pressemitteilung.',
      ],
    ],
    [
      'Chinese',
      '把这些发票整理成表格，然后画出每月的趋势图；最后写一封邮件发给财务部门。谢谢！',
      ['把这些发票整理成表格', '然后画出每月的趋势图', '最后写一封邮件发给财务部门。谢谢！'],
    ],
    [
      'Japanese',
      '議事録を英語に翻訳してください。次に要点を表にまとめて、上司へのメールを書いてください。',
      [
        '議事録を英語に翻訳してください。',
        '次に要点を表にまとめて',
        '上司へのメールを書いてください。',
      ],
    ],
    [
      'Arabic',
      'ترجم هذا العقد إلى اللغة الإنجليزية، ثم لخص أهم البنود فيه؟',
      ['ترجم هذا العقد إلى اللغة الإنجليزية', 'ثم لخص أهم البنود فيه؟'],
    ],
    [
      'Hindi',
      'इस रिपोर्ट का सार लिखो। फिर इसे अंग्रेजी में अनुवाद करो।',
      ['इस रिपोर्ट का सार लिखो।', 'फिर इसे अंग्रेजी में अनुवाद करो।'],
    ],
    ['Thai', 'แปลเอกสารนี้เป็นภาษาอังกฤษ', ['แปลเอกสารนี้เป็นภาษาอังกฤษ']],
  ])('splits %s', (_, request, facets) => {
    expect(splitIntoFacets(request)).toEqual(facets);
  });

  it.each([
    'Explain what ```\na = 1, b = 2\n\nprint(a, b). Done\n``` does in plain words',
    'Why does `f(a, b); g(c, d)` fail for me here',
    'Take the text from https://example.org/a,b;c?d=1:2 and shorten it',
    'Look into /var/log/my.app:2,b;c for whatever went wrong',
    'Search for "cats, dogs and other. Animals that bite" in the archive',
    'Suche nach „Hunde, Katzen und andere. Tiere im Haus“ im ganzen Archiv',
    'Cherche « chats, chiens et autres. Bêtes du coin » dans toutes les archives',
    '「犬、猫。そして鳥について」という記事を探す',
    "Play the song 'Oh, what a night. It was late' for all of us",
    'Sort the receipts (from Lyon, Nice, and the rest. All of them) by date',
  ])('keeps %j whole', (request) => {
    expect(splitIntoFacets(request)).toEqual([request]);
  });

  it('takes an apostrophe for no quotation mark', () => {
    expect(splitIntoFacets("It's the users' data we lost, and we don't know whose it is")).toEqual([
      "It's the users' data we lost",
      "and we don't know whose it is",
    ]);
  });

  it('splits a request that is quoted as a whole', () => {
    const request =
      '"I need the latest news on the election of the mayor. Please also recommend some quiet music for the evening."';
    expect(splitIntoFacets(request)).toHaveLength(2);
  });

  it('joins a short clause within its sentence first', () => {
    expect(
      splitIntoFacets('Get the name, age, and city of each member. Lastly, send all of it to Bob.'),
    ).toEqual(['Get the name, age', 'and city of each member.', 'Lastly, send all of it to Bob.']);
    expect(splitIntoFacets('one two, three four', { minWords: 2 })).toEqual([
      'one two',
      'three four',
    ]);
    expect(splitIntoFacets('one two, three four', { minWords: 3 })).toEqual([
      'one two, three four',
    ]);
  });

  it('joins the shortest neighbours where there are too many', () => {
    const request = 'A b c d. E f g h. I j k l m n o p. Q r s t u v w x.';
    expect(splitIntoFacets(request, { limit: 3 })).toEqual([
      'A b c d. E f g h.',
      'I j k l m n o p.',
      'Q r s t u v w x.',
    ]);
    expect(splitIntoFacets(request, { limit: 1 })).toEqual([request]);
  });

  it('refuses options that make no sense', () => {
    expect(() => splitIntoFacets('x', { limit: 0 })).toThrow('limit');
    expect(() => splitIntoFacets('x', { minWords: 1.5 })).toThrow('minWords');
  });

  it.each(['a, ', 'word ', '\n', '- ', '`', '"', '"a, b" ', '(', "'a", '/a', 'x\r\n', '一。', '①'])(
    'takes a long run of %j without trouble',
    (unit) => {
      const text = unit.repeat(20_000);
      expect(splitIntoFacets(text).length).toBeLessThanOrEqual(16);
    },
  );

  const piece = fc.oneof(
    fc.constantFrom(
      ...['. ', ', ', '; ', '\n', '\r\n', '\n- ', '\n1. ', ' (a) ', '。', '、', '```', '`', '"'],
      ...["'", '“', '”', '「', '」', '(', ')', 'https://x.org/a,b', '/etc/x', ' – ', '①', '#'],
    ),
    fc.stringMatching(/^[a-zé中のไ]{1,8} ?$/u),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

  it('gives pieces of any text in order, as many as allowed, and always the same', () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 9 }),
        (request, limit, minWords) => {
          const facets = splitIntoFacets(request, { limit, minWords });
          expect(facets.length).toBeLessThanOrEqual(limit);
          expect(facets.length === 0).toBe(request.trim() === '');
          let from = 0;
          for (const facet of facets) {
            expect(facet).toBe(facet.trim());
            expect(facet).not.toBe('');
            const at = request.indexOf(facet, from);
            expect(at).toBeGreaterThanOrEqual(from);
            from = at + facet.length;
          }
          expect(splitIntoFacets(request, { limit, minWords })).toEqual(facets);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('loses no word', () => {
    const word = fc.stringMatching(/^[a-zA-Zéß中の]{2,8}$/u);
    const mark = fc.constantFrom(' ', ', ', '. ', '! ', '\n', '\n\n', ' – ', '、', '; ', ': ');
    const words = fc.array(fc.tuple(word, mark), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 20 }), (pairs, limit) => {
        const request = pairs.flat().join('');
        const letters = (s: string) => s.replace(/\P{L}/gu, '');
        expect(letters(splitIntoFacets(request, { limit }).join(''))).toBe(letters(request));
      }),
      { numRuns: 1_000 },
    );
  });
});
