/** What one item may hold. Far above what SDKs send (128 of each by default), low enough that no item is a burden. */

/** Attributes of a span, event, link, log record, resource or scope: more are left out and counted with those that the sender left out. */
export const MAX_ATTRIBUTES = 1000;
/** Events, and links, of a span: more are left out and counted in the same way. */
export const MAX_EVENTS = 1000;
/** Values in arrays and maps of one item: an item with more is refused. */
export const MAX_VALUES = 10_000;
/** Buckets of one histogram point: a point with more is refused. */
export const MAX_BUCKETS = 10_000;
/** Exemplars of one point: more are left out, as they are examples. */
export const MAX_EXEMPLARS = 100;
/** Levels of arrays and maps in each other. */
export const MAX_DEPTH = 64;
