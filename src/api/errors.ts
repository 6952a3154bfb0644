/** Every error code of Trifocal's own API, with its HTTP status and what the caller can do. `docs/api-errors.md` lists the same. */
export const ERROR_CODES = {
  bad_request: { status: 400, action: 'Correct the parameter or field that `path` names.' },
  not_found: {
    status: 404,
    action: 'Check the reference or id; the thing may lie outside the time that was asked for.',
  },
  method_not_allowed: { status: 405, action: 'Use the method that the API description gives for this path.' },
  unsupported_media_type: { status: 415, action: 'Send the body with the content type that the message names.' },
  too_large: { status: 413, action: 'Send less at once, or raise `ingest.maxBody`.' },
  forbidden: { status: 403, action: 'Ask someone who may see all clusters.' },
  forbidden_origin: { status: 403, action: "Open Trifocal at its own address; other sites' pages may not call it." },
  query_limit: {
    status: 422,
    action: 'Narrow the time range or the selection, or raise the limit that the message names.',
  },
  store_unavailable: {
    status: 503,
    action: 'Try again shortly; the store is starting or down, and ingest goes on into the spool.',
  },
  timeout: { status: 504, action: 'Narrow the question, or try again later.' },
  busy: { status: 429, action: 'Ask again in a few seconds; as much as can be done at once is being done.' },
  internal: {
    status: 500,
    action: 'This is a defect of Trifocal: report it with the message and the log lines around it.',
  },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** A user's mistake or an expected failure, answered as `{error:{code,message,path?,line?,column?,hint?}}`. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: ApiErrorDetails;
  constructor(code: ErrorCode, message: string, details: ApiErrorDetails & { cause?: unknown } = {}) {
    const { cause, ...rest } = details;
    super(message, { cause });
    this.code = code;
    this.details = rest;
  }
}

export interface ApiErrorDetails {
  /** Which parameter, header or JSON path. */
  path?: string;
  line?: number;
  column?: number;
  hint?: string;
}
