import { maskChatText, maskRequestText, maskTokenIds, promptHint } from './mask-prompts.ts';
import { maskMembers, maskValues } from './mask-values.ts';
import { isNoSecret } from './no-secret.ts';
import { isPromptKey } from './prompt-keys.ts';
import { type Noted, substitute } from './substitute.ts';

export { isNoSecret } from './no-secret.ts';

/**
 * What counts as a secret, by shape of the text and by name of the key. Every pattern is linear in the text: a run of
 * characters is entered at one place only (look-behind) or bounded in length, so no input makes it scan twice.
 */

export type RuleName =
  | 'aws-key'
  | 'private-key'
  | 'jwt'
  | 'bearer'
  | 'password'
  | 'url-credentials'
  | 'api-key'
  | 'email'
  | 'card'
  | 'prompt';

/** One sentence per rule: what it hides. */
export const RULES: Readonly<Record<RuleName, string>> = {
  'aws-key': 'Access key ids of AWS, and secret keys that stand beside their name.',
  'private-key': 'PEM and PGP blocks of private keys.',
  jwt: 'JSON web tokens.',
  bearer: 'What follows Bearer and Basic, and values of authorization.',
  password:
    'Values of keys that end in password, passwd, passphrase or pwd: in text, JSON, URLs, flags and attributes.',
  'url-credentials': 'User and password in addresses and connection strings.',
  'api-key':
    "Keys and tokens by their vendors' prefixes, and values of API-key, token, signature, cookie and client-secret keys.",
  email: 'E-mail addresses.',
  card: 'Card numbers that pass the Luhn check and are grouped or stand beside a word such as card; ids and times stay whole.',
  prompt: 'Prompt and completion text of model calls.',
};

export interface RedactionRule {
  name: RuleName;
  /** What every text that the rule would change contains: a cheap look before the dear one. */
  hint: RegExp;
  apply(text: string, note?: Noted): string;
}

/**
 * Whether any rule could match: the hints of all rules in one pass. Nearly all telemetry stops here.
 */
export function mayHoldSecret(text: string): boolean {
  return text.length > 5 && anyHint.test(text);
}

/** The word in any case, without the cost of a case-insensitive pattern. */
function anyCase(word: string): string {
  return word.replace(/[a-z]/g, (c) => `[${c}${c.toUpperCase()}]`);
}

/** Of what may come between a key and its `=` or `:`; colours of a terminal, too, also as JSON writes them. */
const GAP = `[\\\\"' \\t\\x1b[\\d;mubx]{0,24}`;
const HINTS = {
  prompt: promptHint,
  privateKey: /-----BEGIN /,
  awsKey: /A[KS]IA[A-Z0-9]/,
  accessKey: new RegExp(`${anyCase('access')}[_-]?${anyCase('key')}`),
  jwt: /eyJ[A-Za-z0-9_-]{5}/,
  bearer: new RegExp(`(?:${anyCase('bearer')}|${anyCase('basic')})[ \\t]+[A-Za-z0-9._~+/=-]`),
  secretWord: new RegExp(
    `[aA](?:[pP][iI]|[cC]{2}(?:[eE][sS]{2}|[oO][uU][nN][tT]))[._-]?(?:${anyCase('key')}|${anyCase('sig')})|${anyCase('secret')}|${anyCase('token')}${GAP}[=:>]`,
  ),
  passwordWord: new RegExp(`${anyCase('pass')}(?:[wW]|${anyCase('phrase')}|${GAP}[=:>])|${anyCase('pwd')}`),
  environment: /value\\*":/,
  flag: new RegExp(
    `--[A-Za-z0-9_-]{0,40}(?:${anyCase('key')}|${anyCase('token')}|${anyCase('secret')}|${anyCase('pass')}|${anyCase('pwd')})`,
  ),
  userFlag: /-(?:[uU]|-(?:proxy-)?user)[\\"', =\t]{1,8}[^\s:"'\\]{1,64}:/,
  mysql: /mysql[a-z]{0,8}[ \t][^\n]{0,200}-p[^\s"'\\]/,
  credentials: /:[^\s/@"]{1,128}@/,
  urlUser: /:\/\/[A-Za-z0-9_-]{20,}@/,
  authorization: new RegExp(`${anyCase('authorization')}${GAP}[=:]`),
  cookie: new RegExp(`${anyCase('cookie')}[sS]?${GAP}[=:]`),
  queryKey: new RegExp(
    `[?&;][A-Za-z0-9_-]{3,45}=[^\\s&#]{6}|^[A-Za-z0-9_-]{0,24}(?:${['token', 'auth', 'sig', 'secret', 'apikey', 'sas', 'credential'].map(anyCase).join('|')})[A-Za-z]{0,6}=`,
  ),
  keyPrefix:
    /(?:sk|hf|gh[opsur]|github_pat|glpat|xox[abprs]|npm|nvapi|gsk|xai|r8|[srp]k_live|dop_v1|dckr_pat|shpat)[-_][A-Za-z0-9]|AIza|SG\.|hvs\.|dapi[0-9a-f]|pypi-A|AGE-SECRET|hooks\.slack/,
  email: /@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2}/,
  card: new RegExp(
    `\\d{4}[ -]\\d{4}[ -]\\d{4}|\\d{4}[ -]\\d{6}[ -]\\d{5}|(?:${['card', 'visa', 'amex', 'pan'].map(anyCase).join('|')})\\W{0,4}\\d{13}`,
  ),
};
const anyHint = new RegExp(
  Object.values(HINTS)
    .map(({ source }) => source)
    .join('|'),
);

const QUOTE = `\\\\*["']`;
/** A value after `key=`, `key: ` or `"key":"`; nested JSON puts backslashes before its quotes. */
const COLOUR = '(?:(?:\\x1b|\\\\{1,4}(?:u001[bB]|x1[bB]|033))\\[[\\d;]{0,16}m){0,3}';
const ASSIGN = `${COLOUR}(?:${QUOTE})?${COLOUR}[ \\t]{0,4}(?:=(?:>|\\\\{1,4}u003[eE])|:=|[=:])[ \\t]{0,4}${COLOUR}`;
const PASSWORD_WORD = '(?:passw(?:or)?d|passwd|passphrase|pwd)';
const SECRET_WORD =
  '(?:api[_-]?key|access[_-]?token|auth[_-]?token|refresh[_-]?token|id[_-]?token|session[_-]?token|client[_-]?secret|secret[_-]?(?:access[_-]?)?key|account[_-]?key|shared[_-]?access[_-]?(?:key|signature)|secret)';

const SCHEME = '[A-Za-z][A-Za-z0-9-]{0,30}[ \\t]{1,4}';
const AUTHORIZATION = new RegExp(
  `((?:^|[^A-Za-z])(?:proxy-)?authorization${ASSIGN}(?:${QUOTE})?(?!(?:${SCHEME})?\\[redacted)(?:${SCHEME})?)(?!bearer\\b|basic\\b)([^\\s"'\\\\<>{}[\\]][^"'\\\\\\n\\r<>{}[\\]]{7,2048})`,
  'gi',
);
const COOKIE = new RegExp(
  `((?:^|[^A-Za-z])(?:set-)?cookies?${ASSIGN}(?:${QUOTE})?)(?!\\[redacted)([A-Za-z0-9_.-]{1,128}=[^"'\\\\\\n\\r]{4,4096})`,
  'gi',
);
const QUERY_KEY =
  /((?:[?&;]|^)(?:[a-z0-9]{1,20}[_-])?(?:token|auth|sig|signature|secret|apikey|sas|x-(?:amz|goog|ms)-(?:signature|security-token|credential))=)(?!\[redacted)([^\s&#;"'<>\\]{6,2048})/gi;

const USER_FLAG =
  /((?<![\w-])-(?:[uU]|-(?:proxy-)?user)(?:\\*["'], ?\\*["']|[ =\t]{1,4}\\*["']?)[^\s:"'\\]{1,64}:)(?!\[redacted)([^\s"'\\]{1,256})/g;
const MYSQL_FLAG =
  /((?<![\w-])mysql(?:dump|admin|import|check|show|sh)?[ \t](?:[^\n|;&]{0,200}?[ \t])?-p)(?!\[redacted)(\d{4,256}|(?!\d)[^\s"'\\=-][^\s"'\\]{0,255})/g;
const PASS_OF =
  '(?<![A-Za-z0-9])(?:[a-z0-9]{1,20}[_-]){0,3}(?:db|user|usr|admin|root|smtp|imap|mail|ftp|sftp|ssh|ldap|bind|mysql|maria|pg|postgres|mongo|redis|mq|rabbitmq|amqp|kafka|http|proxy|api|auth|login|app|service|svc|cert|keystore|truststore|bot|wifi|vpn)[_-]?pass';

/** Ordered: the specific before the general, whole keys before parts of them. */
export const textRules: readonly RedactionRule[] = [
  { name: 'prompt', hint: HINTS.prompt, apply: maskTokenIds },
  { name: 'prompt', hint: HINTS.prompt, apply: maskRequestText },
  { name: 'prompt', hint: HINTS.prompt, apply: maskChatText },
  members('prompt', HINTS.prompt),
  members('password', HINTS.passwordWord),
  members('bearer', HINTS.authorization),
  members('api-key', new RegExp(`${HINTS.secretWord.source}|${HINTS.cookie.source}`)),
  whole(
    'private-key',
    HINTS.privateKey,
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  ),
  {
    // `AKIA…/secret` and such; in the scope of a signature a date and a region follow.
    name: 'aws-key',
    hint: HINTS.awsKey,
    apply: (text, note) =>
      substitute(
        text,
        /(?<=(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}["']?[/:,;|]["']?)[A-Za-z0-9/+]{30,128}(?![A-Za-z0-9/+])/g,
        () => '[redacted:aws-key]',
        note,
      ),
  },
  whole('aws-key', HINTS.awsKey, /(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])/g),
  afterKey('aws-key', HINTS.accessKey, 'aws[_-]?secret[_-]?access[_-]?key', '[A-Za-z0-9/+=]{16,128}'),
  whole('jwt', HINTS.jwt, /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*/g),
  {
    name: 'bearer',
    hint: HINTS.bearer,
    apply: (text, note) =>
      substitute(
        text,
        /(?<![A-Za-z])((?:bearer|basic)[ \t]{1,4})(?!\[redacted|auth|cert|cred|token\b)([A-Za-z0-9._~+/=-]{8,})/gi,
        (match, before = '', secret = '') =>
          /^basic/i.test(before) && !looksRandom(secret) ? match : `${before}[redacted:bearer]`,
        note,
      ),
  },
  {
    // Any scheme: `Authorization: Token …`, `ApiKey …`, `AWS4-HMAC-SHA256 Credential=…, Signature=…`, or none.
    name: 'bearer',
    hint: HINTS.authorization,
    apply: (text, note) =>
      substitute(
        text,
        AUTHORIZATION,
        (match, before = '', secret = '') => (looksRandom(secret) ? `${before}[redacted:bearer]` : match),
        note,
      ),
  },
  {
    // Cookies are sessions: all of the header's value.
    name: 'api-key',
    hint: HINTS.cookie,
    apply: (text, note) => substitute(text, COOKIE, (_match, before = '') => `${before}[redacted:api-key]`, note),
  },
  {
    name: 'api-key',
    hint: HINTS.queryKey,
    apply: (text, note) =>
      substitute(
        text,
        QUERY_KEY,
        (match, before = '', secret = '') => (isNoSecret(secret) ? match : `${before}[redacted:api-key]`),
        note,
      ),
  },
  afterKey('api-key', HINTS.secretWord, SECRET_WORD),
  afterKey('api-key', HINTS.secretWord, 'token', '[A-Za-z0-9._~+/=-]{16,}'),
  element('api-key', HINTS.secretWord, `(?:${SECRET_WORD}|token)`),
  element('password', HINTS.passwordWord, PASSWORD_WORD),
  envValue('password', PASSWORD_WORD),
  envValue('api-key', '(?:api_?key|token|secret|access_?key)'),
  flagValue('password', PASSWORD_WORD),
  flagValue('api-key', `(?:${SECRET_WORD}|token)`),
  afterKey('password', HINTS.passwordWord, PASSWORD_WORD),
  // `pass` alone also counts tests and such.
  afterKey('password', HINTS.passwordWord, PASS_OF),
  {
    name: 'password',
    hint: HINTS.userFlag,
    apply: (text, note) =>
      /(?<![A-Za-z])curl(?![A-Za-z])/.test(text)
        ? substitute(
            text,
            USER_FLAG,
            (match, before = '', secret = '') => (isNoSecret(secret) ? match : `${before}[redacted:password]`),
            note,
          )
        : text,
  },
  {
    name: 'password',
    hint: HINTS.mysql,
    apply: (text, note) =>
      substitute(
        text,
        MYSQL_FLAG,
        (match, before = '', secret = '') => (isNoSecret(secret) ? match : `${before}[redacted:password]`),
        note,
      ),
  },
  whole(
    'url-credentials',
    HINTS.credentials,
    /(?<=[A-Za-z0-9]:\/\/)[^\s:/?#@"'<>[\]\\]{0,256}:(?!\[redacted)[^\s/?#"'<>\\]{1,128}(?=@)/g,
  ),
  whole('url-credentials', HINTS.urlUser, /(?<=[A-Za-z0-9]:\/\/)[A-Za-z0-9_-]{20,256}(?=@)/g),
  whole('url-credentials', HINTS.credentials, /(?<![^\s"'=])[^\s:@/"'=]{1,64}:[^\s@/"']{1,128}(?=@(?:tcp|unix)\()/g),
  whole(
    'api-key',
    HINTS.keyPrefix,
    /(?<![A-Za-z0-9_-])(?:sk-[A-Za-z0-9_-]{20,}|hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|glpat-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{35}|npm_[A-Za-z0-9]{30,}|nvapi-[A-Za-z0-9_-]{20,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{30,}|dop_v1_[a-f0-9]{40,}|dckr_pat_[A-Za-z0-9_-]{20,}|shpat_[a-fA-F0-9]{30,}|hvs\.[A-Za-z0-9_-]{20,}|dapi[0-9a-f]{32}|pypi-A[A-Za-z0-9_-]{30,}|AGE-SECRET-KEY-1[A-Z0-9]{50,}|[srp]k_live_[A-Za-z0-9]{16,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})/g,
  ),
  whole('api-key', HINTS.keyPrefix, /(?<=hooks\.slack\.com\/services\/)[A-Za-z0-9_/]{20,}/g),
  whole(
    'email',
    HINTS.email,
    /(?<![A-Za-z0-9._%+-])[A-Za-z0-9_%+-][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])/g,
  ),
  {
    // Bare digits are ids and timestamps far more often than cards, so they need the word in front of them.
    name: 'card',
    hint: HINTS.card,
    apply: (text, note) =>
      substitute(
        text,
        /(?<![\dA-Za-z-])(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}|3\d{3}([ -])\d{6}\2\d{5})(?![\dA-Za-z-])/g,
        maskCard,
        note,
      ),
  },
  {
    name: 'card',
    hint: HINTS.card,
    apply: (text, note) => substitute(text, /(?<=(?:card|visa|amex|pan)\W{0,4})\d{13,19}(?!\d)/gi, maskCard, note),
  },
];

/** The rule by which a key's whole value is secret, whatever it looks like. */
export function secretKey(key: string): RuleName | undefined {
  if (isPromptKey(key)) return 'prompt';
  if (/(?:passw(?:or)?d|passwd|passphrase|(?:^|[._-]|db)pwd)$/i.test(key)) return 'password';
  if (/(?:^|[._-])(?:proxy-)?authorization$/i.test(key)) return 'bearer';
  if (/(?:^|[._-])(?:set-)?cookies?$/i.test(key)) return 'api-key';
  if (/(?:api[._-]?key|(?:access|auth|refresh|session)[._-]?token)$/i.test(key)) return 'api-key';
  if (/(?:^|[._-])id[._-]?token$|(?:^|\.)token$/i.test(key)) return 'api-key';
  if (/(?:client[._-]?secret|secret[._-]?(?:access[._-]?)?key)$/i.test(key)) return 'api-key';
  if (/(?:^|[._-])private[._-]?key$/i.test(key)) return 'private-key';
  return undefined;
}

function whole(name: RuleName, hint: RegExp, pattern: RegExp): RedactionRule {
  const replacement = `[redacted:${name}]`;
  return { name, hint, apply: (text, note) => substitute(text, pattern, () => replacement, note) };
}

/** `key=value`, `key: value`, `"key":"value"`, also where JSON is nested in JSON. The key and its punctuation stay. */
function afterKey(
  name: RuleName,
  hint: RegExp,
  word: string,
  bare = `[^\\s"'\\\\,;&<>(){}\\[\\]\\x1b]{1,4096}`,
): RedactionRule {
  return valuesOf(name, hint, `${word}${ASSIGN}`, bare);
}

/** Environment variables in Kubernetes objects: `{"name":"DB_PASSWORD","value":"…"}`. */
function envValue(name: RuleName, word: string): RedactionRule {
  const key = `"name\\\\*":\\s?\\\\*"[A-Za-z0-9_.-]{0,64}${word}[A-Za-z0-9_.-]{0,64}\\\\*",\\s?\\\\*"value\\\\*":\\s?(?=\\\\*")`;
  return valuesOf(name, HINTS.environment, key, '(?!)');
}

/** Command lines: `--api-key abc`, and as separate elements of a JSON array `"--api-key","abc"`. */
function flagValue(name: RuleName, word: string): RedactionRule {
  const key = `--[a-z0-9-]{0,32}${word}(?:[ \\t]{1,4}|\\\\*",\\s?\\\\*")(?!--)`;
  return valuesOf(name, HINTS.flag, key, `[^\\s"'\\\\]{1,4096}`);
}

function valuesOf(name: RuleName, hint: RegExp, key: string, bare: string): RedactionRule {
  const keys = new RegExp(key, 'gi');
  const bareValue = new RegExp(bare, 'iy');
  const mark = `[redacted:${name}]`;
  return { name, hint, apply: (text, note) => maskValues(text, keys, bareValue, mark, note) };
}

/** XML: `<password>x</password>`. Without the tag that closes it, it is a placeholder as usage texts have them. */
function element(name: RuleName, hint: RegExp, word: string): RedactionRule {
  const pattern = new RegExp(`(<[\\w.:-]{0,60}${word}(?:\\s[^<>]{0,200})?>)(?!\\[redacted)([^<]{1,4096})(?=</)`, 'gi');
  return {
    name,
    hint,
    apply: (text, note) =>
      substitute(
        text,
        pattern,
        (match, before = '', secret = '') => (isNoSecret(secret.trim()) ? match : `${before}[redacted:${name}]`),
        note,
      ),
  };
}

/** Lists, objects and numbers behind the names of JSON members, and texts behind those of prompts. */
function members(name: RuleName, hint: RegExp): RedactionRule {
  const wanted = (key: string, value: string) => {
    if (value === '"') return name === 'prompt' && isPromptKey(key);
    if (memberRule(key) !== name) return false;
    // What is called a secret in Kubernetes is where one stands.
    if (value === '{') return !/(?:^|[._-])secret$/i.test(key) || /client/i.test(key);
    if (value === '[') return true;
    // A short number is a token's place in a model's vocabulary, or how many there are.
    return name !== 'prompt' && (value.length >= 8 || !/token$/i.test(key));
  };
  return { name, hint, apply: (text, note) => maskMembers(text, wanted, `[redacted:${name}]`, note) };
}

const SECRET_MEMBER = new RegExp(`${SECRET_WORD}$`, 'i');

function memberRule(key: string): RuleName | undefined {
  if (key === 'prompt') return 'prompt';
  return secretKey(key) ?? (SECRET_MEMBER.test(key) ? 'api-key' : undefined);
}

/**
 * The rule by which an environment variable's, header's or flag's value is secret: `DB_PASS`, `--auth`, `HF_TOKEN`. Not
 * by words that say something about a secret (`TOKEN_LIMIT`, `AUTH_URL`, `--enable-auth`), nor `MAX_TOKENS`.
 */
export function secretName(name: string): RuleName | undefined {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !/^(?:\d+|v\d+)$/.test(word));
  const last = words.at(-1);
  if (last === undefined || ABOUT_SECRET.test(last) || SWITCH.test(words[0] ?? '')) return undefined;
  if (words.some((word) => /(?:password|passwd|passphrase|pwd)$/.test(word)) || /^(?:db)?pass$/.test(last)) {
    return 'password';
  }
  if (words.includes('dsn')) return 'url-credentials';
  if (/(?:^|_)private_?key/.test(words.join('_'))) return 'private-key';
  if (/(?:^|_)(?:api|access|secret|encryption|signing|master|account)_?key(?:_|$)/.test(words.join('_')))
    return 'api-key';
  if (words.some((word) => /(?:secret|token|^credentials?|^creds?|^cookie)$/.test(word))) return 'api-key';
  return /^(?:auth|authorization)$/.test(last) ? 'bearer' : undefined;
}

const ABOUT_SECRET =
  /^(?:files?|paths?|dir|directory|folder|names?|ur[li]|endpoint|host|port|enabled|disabled|required|type|mode|method|provider|issuer|audience|limits?|max|min|size|length|count|budget|rate|ttl|expiry|expiration|timeout|seconds|interval|policy|header|ref)$/;
const SWITCH = /^(?:enable|disable|no|skip|use|allow|require|with|max|min)$/;

function looksRandom(text: string): boolean {
  return /[0-9=+/]/.test(text) || (/[a-z]/.test(text) && /[A-Z]/.test(text.slice(1)));
}

function maskCard(match: string): string {
  const digits = match.replace(/\D/g, '');
  return /^(?:3[4-7]|4|5[1-5]|2[2-7]|6)/.test(digits) && passesLuhn(digits) ? '[redacted:card]' : match;
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
