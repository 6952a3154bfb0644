/** Where query engines read from: one contract, an implementation per kind of store. */

export * from './contract.ts';
