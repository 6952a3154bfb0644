import { randomBytes, randomInt } from 'node:crypto';

/** Fake secrets, each of which exists once: whoever finds one later knows where it was planted. */
export interface PlantedSecrets {
  /**
   * A text for each rule of redaction, with one fresh secret in it, behind a marker that is no secret. `where` is letters and
   * digits. With `single`, no line breaks.
   */
  texts(where: string): Planted[];
  /** A fresh secret that only the key beside it makes one. */
  bare(where: string, rule: string): Planted;
  /** The same as an integer. */
  number(where: string, rule: string): number;
  all(): readonly Planted[];
}

export interface Planted {
  where: string;
  rule: string;
  /** What is sent. */
  text: string;
  /** Stands in the text before the secret, and is to be kept. */
  marker: string;
  /** What must be nowhere. */
  secret: string;
}

/** The operator's own rule, as `trifocal.yaml` has it. */
export const OWN_RULE = { name: 'employee', literal: 'EMP-', pattern: 'EMP-[0-9]{10}' };

/** What letters of secrets begin with, so that a search through much need not look for each at every place. */
const START = 'zq7';
/** How any secret begins: as it is, in base64, in capitals, in digits. */
export const BEGINNING = /zq7|enE3|AKIAZQ7|4929 ?175|EMP-|8675309/g;

type Form = (secret: string) => string;

const FORMS: readonly [rule: string, secret: () => string, form: Form][] = [
  ['aws-key', () => `AKIA${letters(16).toUpperCase()}`, (s) => `using ${s} now`],
  [
    'private-key',
    () => base64(48),
    (s) => `-----BEGIN RSA PRIVATE ${'KEY'}-----\n${s}\n-----END RSA PRIVATE ${'KEY'}-----`,
  ],
  ['jwt', () => letters(40), (s) => `session eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${s} ends`],
  ['bearer', () => letters(32), (s) => `Authorization: Bearer ${s}`],
  ['bearer', () => base64(18), (s) => `authorization: Basic ${s}`],
  ['password', () => letters(20), (s) => `login password=${s} failed`],
  ['password', () => letters(20), (s) => `{"db":"{\\"password\\":\\"${s}\\"}"}`],
  ['url-credentials', () => letters(20), (s) => `postgres://app:${s}@db:5432/x`],
  ['url-credentials', () => letters(20), (s) => `redis://:${s}@cache:6379/0`],
  ['url-credentials', () => letters(20), (s) => `mongodb+srv://app:${s}@c0.example.net/db amqp://mq`],
  ['api-key', () => letters(20), (s) => `GET /v1/models?token=${s}&x=1`],
  ['api-key', () => letters(20), (s) => `https://api.example.net/v1?api_key=${s}`],
  ['api-key', () => letters(40), (s) => `key sk-proj-${s} used`],
  ['api-key', () => letters(20), (s) => `Cookie: sid=${s}; theme=dark`],
  ['email', () => letters(16), (s) => `mail to ${s}@example.com now`],
  ['card', cardNumber, (s) => `paid with ${s} today`],
  ['prompt', () => letters(24), (s) => `POST /v1/chat {"messages":[{"role":"user","content":"tell ${s} all"}]}`],
  ['employee', () => `EMP-${String(randomInt(1e9, 9e9))}`, (s) => `seen ${s} here`],
];

export function plantSecrets(): PlantedSecrets {
  const planted: Planted[] = [];
  const plant = (where: string, rule: string, secret: string, text: string) => {
    const marker = `mk${where}x${planted.length}x`;
    const one = { where, rule, secret, marker, text: `${marker} ${text}` };
    planted.push(one);
    return one;
  };
  return {
    texts: (where) =>
      FORMS.map(([rule, make, form]) => {
        const secret = make();
        return plant(where, rule, secret, form(secret));
      }),
    bare(where, rule) {
      const secret = letters(20);
      const one = plant(where, rule, secret, '');
      one.text = secret;
      return one;
    },
    number(where, rule) {
      const secret = `8675309${randomInt(1e8, 1e9)}`;
      plant(where, rule, secret, secret);
      return Number(secret);
    },
    all: () => planted,
  };
}

function letters(count: number): string {
  const alphabet = 'abcdefghjkmnpqrstvwxyz23456789';
  const random = Array.from(randomBytes(count - START.length), (byte) => alphabet[byte % alphabet.length]);
  return START + random.join('');
}

function base64(bytes: number): string {
  return `${START}9${randomBytes(bytes).toString('base64')}`;
}

/** Four groups of four that pass the Luhn check. */
function cardNumber(): string {
  const digits = [4, 9, 2, 9, 1, 7, 5, ...Array.from({ length: 8 }, () => randomInt(10))];
  const sum = digits.reduce(
    (total, digit, i) => total + (i % 2 === 0 ? (digit * 2 > 9 ? digit * 2 - 9 : digit * 2) : digit),
    0,
  );
  return [...digits, (10 - (sum % 10)) % 10].join('').replace(/(\d{4})(?=\d)/g, '$1 ');
}
