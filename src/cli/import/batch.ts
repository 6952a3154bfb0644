/** One request to the server. */
export interface Batch {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Where in the file it is from, for messages: `line 12`, `lines 12 to 40`, `from object 40 on`. */
  place: string;
  /** Lines of the file that the body was joined of, and how many elements of its list each brought. */
  lines?: readonly { line: number; count: number }[];
  /** Added to the line numbers in the server's answer, they are those of the file. */
  lineOffset?: number;
  /** The same in smaller requests, for a body that is refused whole because of one of its parts. */
  parts?: readonly Batch[];
}

/** A file that is none of the known formats, while others are. */
export interface SkippedFile {
  /** Its name and why, without a full stop. */
  skipped: string;
}

/** Something in the file that cannot be sent. */
export interface BadPart {
  place: string;
  reason: string;
}
