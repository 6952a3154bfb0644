// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,2048}(?:\x07|\x1b\\)|[@-Z\\^_])/g;

/** The text without terminal colours and other escape sequences, for looking at; what is stored keeps them. */
export function withoutAnsi(text: string): string {
  return text.includes('\x1b') ? text.replace(SEQUENCE, '') : text;
}
