/** Canonical signals: one concept under one name and unit, whatever emits it. */
export {};
