import { positionOf, type Span } from '../syntax/index.ts';

/** What a query's author should know about its answer, each text once. */
export class Annotations {
  private readonly text: string;
  private readonly warningTexts = new Set<string>();
  private readonly infoTexts = new Set<string>();

  constructor(queryText: string) {
    this.text = queryText;
  }

  /** Something is likely wrong with the answer. */
  warn(message: string, at: Span): void {
    this.warningTexts.add(`PromQL warning: ${message} ${this.place(at)}`);
  }

  /** Something is worth a look. */
  info(message: string, at: Span): void {
    this.infoTexts.add(`PromQL info: ${message} ${this.place(at)}`);
  }

  warnings(): string[] {
    return [...this.warningTexts];
  }

  infos(): string[] {
    return [...this.infoTexts];
  }

  private place(at: Span): string {
    const { line, column } = positionOf(this.text, at.start);
    return `(${line}:${column})`;
  }
}
