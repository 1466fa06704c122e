import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTerms, tokenize } from '../lib/index.ts';

const letters = fc.constantFrom(...'aZéßσŁ9٣_-.+#中がไ');
const marks = fc.constantFrom('\u0301', '\u0323', '\u3099', '\u0e47', '\u200d');

describe('tokenize', () => {
  it.each<[text: string, terms: string[]]>([
    ['', []],
    ['… — !?', []],
    ['Merge the PDFs, please.', ['merge', 'the', 'pdfs', 'please']],
    ['pdf-merge-split', ['pdf', 'merge', 'split', 'pdf-merge-split']],
    ['snake_case_name', ['snake', 'case', 'name', 'snake_case_name']],
    ['camelCase', ['camel', 'case', 'camelcase']],
    ['parseHTTPResponse', ['parse', 'http', 'response', 'parsehttpresponse']],
    ['sha256', ['sha', '256', 'sha256']],
    ['node.js v20.1', ['node', 'js', 'node.js', 'v', '20', '1', 'v20.1']],
    ['std::sort in C++ or C#', ['std', 'sort', 'std::sort', 'in', 'c', 'c++', 'or', 'c', 'c#']],
    ['scripts/run.py', ['scripts', 'run', 'py', 'scripts/run.py']],
    ["Don't", ['don', 't', "don't"]],
    ['Ｆｕｌｌ ﬁne', ['full', 'fine']],
    ['Crème brûlée, Straße, ΣΊΣΥΦΟΣ', ['creme', 'brulee', 'strasse', 'σισυφοσ']],
    ['Ёлка', ['елка']],
    ['E\u0308tat 1\u0300a \u0301', ['etat', '1', 'a', '1a']],
    ['が か', ['が', 'か']],
  ])('%j', (text, terms) => {
    expect(tokenize(text)).toEqual(terms);
  });

  it('finds the words of scripts without spaces', () => {
    expect(tokenize('提取PDF表格')).toEqual(expect.arrayContaining(['提取', 'pdf', '表格']));
    expect(tokenize('議事録を作成する')).toEqual(expect.arrayContaining(['作成']));
    expect(tokenize('แปลเอกสาร')).toEqual(['แปล', 'เอกสาร']);
  });

  it('leaves out identifiers that nobody types', () => {
    const long = Array.from({ length: 30 }, () => 'abc').join('-');
    expect(new Set(tokenize(long))).toEqual(new Set(['abc']));
  });

  it('takes any text, and finds a term again in the same text in capitals', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.oneof(letters, marks, fc.string({ unit: 'grapheme', maxLength: 3 })),
          maxLength: 60,
        }),
        (text) => {
          for (const term of tokenize(text)) {
            expect(term).not.toBe('');
            expect(term).not.toMatch(/\s/u);
          }
        },
      ),
    );
    expect(tokenize('résumé writer')).toEqual(tokenize('RÉSUMÉ WRITER'));
  });
});

describe('countTerms', () => {
  it('adds up the weights of the fields', () => {
    const counts = countTerms([
      { text: 'PDF merge', weight: 3 },
      { text: 'Merges a PDF with a PDF', weight: 0.5 },
    ]);
    expect(Object.fromEntries(counts)).toEqual({ pdf: 4, merge: 3, merges: 0.5, a: 1, with: 0.5 });
  });
});
