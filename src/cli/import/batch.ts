/** One request to the server. */
export interface Batch {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Where in the file it is from, for messages: `line 12`, `object 40`. */
  place: string;
  /** Added to the line numbers in the server's answer, they are those of the file. */
  lineOffset?: number;
  /** The same in smaller requests, for a body that is refused whole because of one of its parts. */
  parts?: readonly Batch[];
}

/** Something in the file that cannot be sent. */
export interface BadPart {
  place: string;
  reason: string;
}
