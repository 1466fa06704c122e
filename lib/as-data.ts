/** A text between the tags of a prompt, in which nothing is a tag. */
export function asData(text: string): string {
  return text.replaceAll('<', '‹').replaceAll('>', '›');
}
