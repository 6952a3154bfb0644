import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttributeValue } from '../../model/index.ts';
import { createRedactor, redactText } from './redact.ts';
import { mayHoldSecret, textRules } from './redaction-rules.ts';

// Secrets are put together here, so that no scanner takes this file for a leak.
const AWS = `AKIA${'IOSFODNN7EXAMPLE'}`;
const AWS_SECRET = `wJalrXUtnFEMI/${'K7MDENG/bPxRfiCYEXAMPLEKEY'}`;
const nested = (value: unknown) => JSON.stringify({ body: JSON.stringify(value), n: 1 });

describe('values with a structure', () => {
  it.each([
    [
      '{"Cookie":["sid=abcdef12345"],"X-Api-Key":["abcdef12345"]}',
      '{"Cookie":"[redacted:api-key]","X-Api-Key":"[redacted:api-key]"}',
    ],
    ['{"password":["a1b2c3"]}', '{"password":"[redacted:password]"}'],
    ['{"password":{"value":"hunter2"},"a":1}', '{"password":"[redacted:password]","a":1}'],
    ['{"token":["abc"],"n":[1]}', '{"token":"[redacted:api-key]","n":[1]}'],
    ['{"o.token": [ "abc" ]}', '{"o.token": "[redacted:api-key]"}'],
    ['{"auth":{"token":["abc"]}}', '{"auth":{"token":"[redacted:api-key]"}}'],
    ['{"cookies":{"sid":"abc","theme":"dark"}}', '{"cookies":"[redacted:api-key]"}'],
    ['{"authorization":["Basic abc"]}', '{"authorization":"[redacted:bearer]"}'],
    ['{"gen_ai.prompt":{"v":"say so"}}', '{"gen_ai.prompt":"[redacted:prompt]"}'],
    ['{"gen_ai.prompt":"say so","n":1}', '{"gen_ai.prompt":"[redacted:prompt]","n":1}'],
    ['{"input.value":["say so"]}', '{"input.value":"[redacted:prompt]"}'],
    ['{"prompt":{"v":"say so"}}', '{"prompt":"[redacted:prompt]"}'],
    ['{"password":123456,"api_key":98765.5}', '{"password":"[redacted:password]","api_key":"[redacted:api-key]"}'],
    ['{"token":1234567890,"o.token":12}', '{"token":"[redacted:api-key]","o.token":12}'],
    ['{"dbPassword":[{"a":{"b":"]}x"}}],"n":1}', '{"dbPassword":"[redacted:password]","n":1}'],
    ["{'password': ['a', \"it's\"], 'n': 1}", "{'password': '[redacted:password]', 'n': 1}"],
    ['{"password":["hunter2', '{"password":"[redacted:password]"'],
    [nested({ password: ['a"b', { x: ']' }], n: 1 }), nested({ password: '[redacted:password]', n: 1 })],
    [nested({ a: nested({ cookies: { sid: 'a' } }) }), nested({ a: nested({ cookies: '[redacted:api-key]' }) })],
    ['{"a":"{\\"password\\":[\\"x\\"","b":1}', '{"a":"{\\"password\\":\\"[redacted:password]\\"","b":1}'],
    ['map[X-Api-Key:[abcdef] Accept:[*/*]]', 'map[X-Api-Key:[[redacted:api-key]] Accept:[*/*]]'],
  ])('are masked as a whole: %s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
    expect(redactText(expected)).toBe(expected);
  });

  it.each([
    ['{"password":{"min_length":8,"required":true}}'],
    ['{"password":[],"token":{},"cookies":{"enabled":true}}'],
    ['{"volumes":[{"name":"v","secret":{"secretName":"my-tls"}}]}'],
    ['{"tokens":[15496,995],"token_ids":[15496],"token":15496}'],
    ['{"max_tokens":4096,"total_tokens":123456,"page_token":1}'],
    ['{"input":{"value":"a"},"prompt_tokens":[1000]}'],
    ['{"api_key":[null]}'],
  ])('stay when they tell nothing: %s', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('are masked in attributes', () => {
    const map = (entries: Record<string, AttributeValue>) => new Map(Object.entries(entries));
    const tree = (entries: Record<string, AttributeValue>): AttributeValue => ({ kind: 'map', entries: map(entries) });
    const clean = createRedactor().attributes(
      map({
        'o.token': ['abc'],
        auth: tree({ token: ['abc'] }),
        cookies: tree({ sid: 'abc' }),
        dbPassword: 4711n,
        'gen_ai.prompt': tree({ v: 'say so' }),
        'gen_ai.token.type': 'input',
        time_per_output_token: 5n,
      }),
    );
    expect(clean).toEqual(
      map({
        'o.token': '[redacted:api-key]',
        auth: tree({ token: '[redacted:api-key]' }),
        cookies: '[redacted:api-key]',
        dbPassword: '[redacted:password]',
        'gen_ai.prompt': '[redacted:prompt]',
        'gen_ai.token.type': 'input',
        time_per_output_token: 5n,
      }),
    );
  });
});

describe('values whose end is missing', () => {
  it.each([
    ['{"user":"bob","password":"hunter2hunter2', '{"user":"bob","password":"[redacted:password]'],
    ['password="hunter2', 'password="[redacted:password]'],
    ["password='hunter2", "password='[redacted:password]"],
    ['password="hunter2 and \\"more\\', 'password="[redacted:password]'],
    ['token: "abc123def456ghi', 'token: "[redacted:api-key]'],
    ['{"api_key":"abcdefgh12345678', '{"api_key":"[redacted:api-key]'],
    ['{"a":"{\\"password\\":\\"hunt', '{"a":"{\\"password\\":\\"[redacted:password]'],
    ['{"a":"{\\"password\\":\\"hunt","b":1}', '{"a":"{\\"password\\":\\"[redacted:password]","b":1}'],
    ['{"name":"DB_PASSWORD","value":"hunter2', '{"name":"DB_PASSWORD","value":"[redacted:password]'],
    ['{password="hunter2}', '{password="[redacted:password]'],
    ['{"Cookie":"sid=abcdef', '{"Cookie":"[redacted:api-key]'],
    ['["--password","hunter2', '["--password","[redacted:password]'],
  ])('are masked to the end: %s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
    expect(redactText(expected)).toBe(expected);
  });

  it.each([
    ['{"msg":"bad password:"}'],
    ['{"msg":"missing api_key=","code":"E12"}'],
    ['{"msg":"no token:","ids":["a","b"]}'],
    ['password: "'],
  ])('are no values: %s', (text) => {
    expect(redactText(text)).toBe(text);
  });
});

describe('further forms', () => {
  it.each([
    ['<password>a b</password><a>1</a>', '<password>[redacted:password]</password><a>1</a>'],
    ['<ns:apiKey id="1">abc</ns:apiKey>', '<ns:apiKey id="1">[redacted:api-key]</ns:apiKey>'],
    ['<token>abc</token>', '<token>[redacted:api-key]</token>'],
    ['password => "x y", a', 'password => "[redacted:password]", a'],
    ['{"m":"password =\\u003e \\"x y\\", a"}', '{"m":"password =\\u003e \\"[redacted:password]\\", a"}'],
    ['password := "x y"', 'password := "[redacted:password]"'],
    ['DB_PASS=hunter2 A=1', 'DB_PASS=[redacted:password] A=1'],
    ['export SMTP_PASS="a b"', 'export SMTP_PASS="[redacted:password]"'],
    ['mysql -h db -u root -phunter2 shop', 'mysql -h db -u root -p[redacted:password] shop'],
    ['curl -s -u bob:hunter2 http://h', 'curl -s -u bob:[redacted:password] http://h'],
    ["curl --user 'bob:hun' http://h", "curl --user 'bob:[redacted:password]' http://h"],
    ['["curl","-u","bob:hunter2"]', '["curl","-u","bob:[redacted:password]"]'],
    [`${AWS}/${AWS_SECRET} x`, '[redacted:aws-key]/[redacted:aws-key] x'],
    [`${AWS},${AWS_SECRET}`, '[redacted:aws-key],[redacted:aws-key]'],
    [`${AWS}/20260101/us-east-1/s3/aws4_request`, '[redacted:aws-key]/20260101/us-east-1/s3/aws4_request'],
    ["set password='it''s' where id=1", "set password='[redacted:password]' where id=1"],
    ["--password 'hunter2' --a", "--password '[redacted:password]' --a"],
    ['{"a":"{\\"password\\":\\"it\'s\\",\\"b\\":1}"}', '{"a":"{\\"password\\":\\"[redacted:password]\\",\\"b\\":1}"}'],
    ['\x1b[36mpassword\x1b[0m=\x1b[1mhunter2\x1b[0m x', '\x1b[36mpassword\x1b[0m=\x1b[1m[redacted:password]\x1b[0m x'],
    ['\x1b[36mtoken=\x1b[0mabcdefghijklmnop01', '\x1b[36mtoken=\x1b[0m[redacted:api-key]'],
    [
      '{"m":"\\u001b[36mapi_key=\\u001b[0mabcdef\\u001b[0m"}',
      '{"m":"\\u001b[36mapi_key=\\u001b[0m[redacted:api-key]\\u001b[0m"}',
    ],
  ])('are masked: %s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
    expect(redactText(expected)).toBe(expected);
  });

  it.each([
    ['usage: login <user> <password> [--verbose]'],
    ['curl -H "X-Key: <token>" http://h'],
    ['docker run -u 1000:1000 image'],
    ['curl -u $USER:$PASS http://h'],
    ['curl -u bob http://h'],
    ['mysql -p -h db'],
    ['mysql server listens on port 3306, see my-page'],
    ['tests: pass=1234 fail=12, bypass=enabled'],
    ['second pass: 4096 blocks'],
    ['password: [FILTERED] api_key: [REDACTED]'],
  ])('leave alone: %s', (text) => {
    expect(redactText(text)).toBe(text);
  });
});

describe('every form', () => {
  const parts = fc.constantFrom(
    '"password":',
    "'cookies': ",
    '\\"token\\":',
    '"gen_ai.prompt":',
    'DB_PASS=',
    'password=',
    '=>',
    '\x1b[0m',
    '<password>',
    '</',
    'curl -u a:',
    'mysql -p',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '\\"',
    '\\',
    ',',
    ' ',
    'x1y2',
    '12345',
    AWS,
    AWS_SECRET,
    '/',
  );

  it('has the hint of its rule, and is the same when explained', () => {
    const redactor = createRedactor();
    fc.assert(
      fc.property(
        fc.array(parts, { maxLength: 14 }).map((all) => all.join('')),
        (text) => {
          for (const rule of textRules) {
            if (rule.apply(text) === text) continue;
            expect(rule.hint.test(text)).toBe(true);
            expect(mayHoldSecret(text)).toBe(true);
          }
          const { text: clean, matches } = redactor.explain(text);
          expect(clean).toBe(redactor.text(text));
          for (const { start, end } of matches) expect(end).toBeGreaterThan(start);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('is explained where it was', () => {
    const text = nested({ password: ['a', 1], mail: 'b@c.example' });
    const found = createRedactor()
      .explain(text)
      .matches.map(({ start, end }) => text.slice(start, end));
    expect(found).toEqual(['[\\"a\\",1]', 'b@c.example']);
  });

  it('keeps JSON valid', () => {
    const key = fc.constantFrom(
      'password',
      'cookies',
      'token',
      'gen_ai.prompt',
      'authorization',
      'api_key',
      'secret',
      'a',
    );
    const { any } = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: 'grapheme', maxLength: 6 }),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(null, true, 'password=', 'it\'s "x"', 'token: '),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(key, tie('any'), { maxKeys: 3 }),
        fc.dictionary(key, tie('any'), { maxKeys: 3 }).map((value) => JSON.stringify(value)),
      ),
    }));
    fc.assert(
      fc.property(any, (value) => {
        expect(() => JSON.parse(redactText(JSON.stringify({ value })))).not.toThrow();
      }),
      { numRuns: 2000 },
    );
  });

  it('takes no longer than linear time', () => {
    const pieces = [
      '"token":{',
      '"password":[1,',
      '\\"password\\":[',
      '"password":"<',
      "password='",
      'password="\\',
      "password=''",
      '<password>',
      'curl -u a:',
      'mysql -',
      'DB_PASS=',
      'a_pass',
      `${AWS}/`,
      'password\x1b[0m',
      'token:[',
      '"gen_ai.prompt":{"',
      '\\\\"password',
      "'cookies':{'",
    ]; // quadratic time would be hours
    for (const piece of pieces) {
      expect(redactText(piece.repeat(Math.ceil(400_000 / piece.length))).length).toBeGreaterThan(0);
    }
  });
});
