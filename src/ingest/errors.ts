/** The bytes are not what their protocol says. The message tells where: a byte offset, or a path into the JSON. */
export class DecodeError extends Error {
  override name = 'DecodeError';
  readonly reason: string;
  readonly path: string;
  constructor(reason: string, path = '') {
    super(path === '' ? reason : `${path}: ${reason}`);
    this.reason = reason;
    this.path = path;
  }
}

/** Runs `work`; a DecodeError from inside gets `step` (`spans[3]`) put before its path. Costs nothing when all is well. */
export function inside<T>(step: string | (() => string), work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const outer = typeof step === 'string' ? step : step();
    throw new DecodeError(error.reason, error.path === '' ? outer : `${outer}.${error.path}`);
  }
}

/** A request that is refused before its content matters: wrong type, too large. */
export class RefusedRequest extends Error {
  override name = 'RefusedRequest';
  readonly status: 400 | 408 | 413 | 415;
  constructor(status: 400 | 408 | 413 | 415, message: string) {
    super(message);
    this.status = status;
  }
}

export function tooLarge(maxBytes: number): RefusedRequest {
  return new RefusedRequest(413, `request body too large: the limit is ${maxBytes} bytes, also after decompression`);
}
