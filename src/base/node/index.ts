/** What needs Node: durable files, the data lock, bounded decompression, child processes, logging, the event loop's delay. Closed to `web`. */

export { type ChildEntry, entryCommand, entryThread, projectRoot } from './entry.ts';
export { appendDurably, syncFolder, writeFileDurably } from './files.ts';
export { gunzipBounded, TooLargeError } from './inflate.ts';
export { type FolderLock, FolderLockedError, lockFolder } from './lock.ts';
export { createLogger } from './logger.ts';
export { type LoopDelay, watchLoop } from './loop-delay.ts';
export { readTar, type TarEntry, TarError, writeTar } from './tar.ts';
