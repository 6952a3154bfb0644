import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AttributeValue, type LogRecord, nowhere, type Span } from '../../model/index.ts';
import { createRedactor, redactText } from './redact.ts';
import { mayHoldSecret, textRules } from './redaction-rules.ts';

// Secrets are put together here, so that no scanner takes this file for a leak.
const AWS = `AKIA${'IOSFODNN7EXAMPLE'}`;
const JWT = `eyJ${'hbGciOiJIUzI1NiJ9'}.eyJ${'zdWIiOiIxMjM0NTY3ODkwIn0'}.dozjgNryP4J3jVmNHl0w5N`;
const OPENAI = `sk-${'proj-abcdefghijklmnop0123456789'}`;
const HF = `hf_${'abcdefghijklmnopqrstuvwxyzABCDEFGH'}`;
const GITHUB = `ghp_${'abcdefghijklmnopqrstuvwxyz0123456789'}`;
const KEY = `-----BEGIN RSA PRIVATE ${'KEY'}-----`;
const KEY_END = `-----END RSA PRIVATE ${'KEY'}-----`;

describe('redactText', () => {
  it.each([
    // prompt
    [
      `INFO 12-01 logger.py:39] Received request cmpl-1f-0: prompt: 'What\\'s "my" salary, params: 3?', params: SamplingParams(n=1, stop=['x'], max_tokens=16), prompt_token_ids: [1, 2, 3], lora_request: None.`,
      `INFO 12-01 logger.py:39] Received request cmpl-1f-0: prompt: '[redacted:prompt]', params: SamplingParams(n=1, stop=['x'], max_tokens=16), prompt_token_ids: [redacted:prompt], lora_request: None.`,
    ],
    [
      `{"msg":"Received request a: prompt: \\"it's \\\\\\" so\\", params: SamplingParams(n=1)","level":"info"}`,
      `{"msg":"Received request a: prompt: \\"[redacted:prompt]\\", params: SamplingParams(n=1)","level":"info"}`,
    ],
    [
      `Request a-1 details: prompt: "it's", prompt_token_ids: [5], x`,
      `Request a-1 details: prompt: "[redacted:prompt]", prompt_token_ids: [redacted:prompt], x`,
    ],
    [`Received request a: prompt: 'cut off`, `Received request a: prompt: '[redacted:prompt]`],
    [
      'POST /v1/chat {"model":"m","messages":[{"role":"user","content":"my \\"secret\\" plan"},{"role":"assistant","content":[{"type":"text","text":"ok\\\\"}]}],"max_tokens":5}',
      'POST /v1/chat {"model":"m","messages":[{"role":"user","content":"[redacted:prompt]"},{"role":"assistant","content":[{"type":"text","text":"[redacted:prompt]"}]}],"max_tokens":5}',
    ],
    [
      `messages=[{'role': 'user', 'content': 'hello you'}] n=1`,
      `messages=[{'role': 'user', 'content': '[redacted:prompt]'}] n=1`,
    ],
    ['{"prompt": "tell me", "n": 1}', '{"prompt": "[redacted:prompt]", "n": 1}'],
    ['{"prompt":["one","two"],"n":1}', '{"prompt":["[redacted:prompt]","[redacted:prompt]"],"n":1}'],
    [
      JSON.stringify({ body: JSON.stringify({ prompt: 'say "x" \\', n: 1 }), a: 1 }),
      JSON.stringify({ body: JSON.stringify({ prompt: '[redacted:prompt]', n: 1 }), a: 1 }),
    ],
    // aws-key
    [`using ${AWS} now`, 'using [redacted:aws-key] now'],
    [
      `aws_secret_access_key = ${'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'}`,
      'aws_secret_access_key = [redacted:aws-key]',
    ],
    // private-key
    [`${KEY}\nMIIE\nabc\n${KEY_END} after`, '[redacted:private-key] after'],
    [`"${KEY}\\nMIIE\\n${KEY_END}\\n"`, '"[redacted:private-key]\\n"'],
    [`cut off ${KEY}\nMIIE`, 'cut off [redacted:private-key]'],
    // jwt, bearer
    [`cookie ${JWT}; x`, 'cookie [redacted:jwt]; x'],
    [`Authorization: Bearer ${'abcdefghijkl'}`, 'Authorization: Bearer [redacted:bearer]'],
    [`{"authorization":"bearer ${'abc123def456'}"}`, '{"authorization":"bearer [redacted:bearer]"}'],
    [`Authorization: Basic ${'dXNlcjpwYXNz'}`, 'Authorization: Basic [redacted:bearer]'],
    // password
    ['password=hunter2 next', 'password=[redacted:password] next'],
    ['DB_PASSWORD: hunter2', 'DB_PASSWORD: [redacted:password]'],
    ['{"password":"hun ter\\"2","user":"a"}', '{"password":"[redacted:password]","user":"a"}'],
    ["passwd='a b'", "passwd='[redacted:password]'"],
    [
      '{"body":"{\\"password\\":\\"hunter2\\",\\"a\\":1}"}',
      '{"body":"{\\"password\\":\\"[redacted:password]\\",\\"a\\":1}"}',
    ],
    ['https://h/x?password=abc&y=1', 'https://h/x?password=[redacted:password]&y=1'],
    ['mysql --password hunter2 -h db', 'mysql --password [redacted:password] -h db'],
    ['["--password","hunter2","--port","1"]', '["--password","[redacted:password]","--port","1"]'],
    ['{"name":"DB_PASSWORD","value":"hunter2"}', '{"name":"DB_PASSWORD","value":"[redacted:password]"}'],
    [
      '{"a":"{\\"name\\":\\"DB_PASSWORD\\",\\"value\\":\\"hunter2\\"}"}',
      '{"a":"{\\"name\\":\\"DB_PASSWORD\\",\\"value\\":\\"[redacted:password]\\"}"}',
    ],
    // url-credentials
    ['postgres://app:s3cret@db:5432/x', 'postgres://[redacted:url-credentials]@db:5432/x'],
    ['amqp://u:p@ss@h/', 'amqp://[redacted:url-credentials]@h/'],
    ['dsn root:pw@tcp(db:3306)/x', 'dsn [redacted:url-credentials]@tcp(db:3306)/x'],
    // api-key
    [`key ${OPENAI}.`, 'key [redacted:api-key].'],
    [`token ${HF}`, 'token [redacted:api-key]'],
    [`clone ${GITHUB}`, 'clone [redacted:api-key]'],
    ['X-Api-Key: abcdef', 'X-Api-Key: [redacted:api-key]'],
    ['{"client_secret":"abcdef"}', '{"client_secret":"[redacted:api-key]"}'],
    ['{"name":"HF_TOKEN","value":"abc"}', '{"name":"HF_TOKEN","value":"[redacted:api-key]"}'],
    ['vllm serve --api-key abc --port 8000', 'vllm serve --api-key [redacted:api-key] --port 8000'],
    ['?access_token=abcdef&a=b', '?access_token=[redacted:api-key]&a=b'],
    ['token=abcdefghijklmnop0123', 'token=[redacted:api-key]'],
    [
      `-----BEGIN PGP PRIVATE ${'KEY BLOCK'}-----\nabc\n-----END PGP PRIVATE ${'KEY BLOCK'}-----.`,
      '[redacted:private-key].',
    ],
    [`Authorization: Token ${'9944b09199c62bcf'}`, 'Authorization: Token [redacted:bearer]'],
    [`{"Authorization":"ApiKey ${'abc123def456'}","a":1}`, '{"Authorization":"ApiKey [redacted:bearer]","a":1}'],
    [`-H 'authorization: ${'abc123def456'}' http://h`, "-H 'authorization: [redacted:bearer]' http://h"],
    [
      `Authorization: AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/s3, Signature=${'fe5f80f77d5f'}`,
      'Authorization: AWS4-HMAC-SHA256 [redacted:bearer]',
    ],
    ['Cookie: sid=abc123; theme=dark', 'Cookie: [redacted:api-key]'],
    ['{"set-cookie":"sid=abc123; Path=/"}', '{"set-cookie":"[redacted:api-key]"}'],
    ['GET /v1/models?token=abc123&x=1', 'GET /v1/models?token=[redacted:api-key]&x=1'],
    ['GET /x?a=1&api_key=abc123', 'GET /x?a=1&api_key=[redacted:api-key]'],
    ['token=abc123&x=1', 'token=[redacted:api-key]&x=1'],
    [
      'https://b.s3/x?X-Amz-Signature=fe5f80f77&X-Amz-Expires=60',
      'https://b.s3/x?X-Amz-Signature=[redacted:api-key]&X-Amz-Expires=60',
    ],
    ['https://a.blob/c?sv=2022&sig=aBc%3D', 'https://a.blob/c?sv=2022&sig=[redacted:api-key]'],
    ['https://hooks.slack.com/services/T00000000/B000/XXXXXXXX', 'https://hooks.slack.com/services/[redacted:api-key]'],
    ['mongodb+srv://app:s3cret@c0.mongodb.net/db', 'mongodb+srv://[redacted:url-credentials]@c0.mongodb.net/db'],
    ['redis://:s3cret@cache:6379/0', 'redis://[redacted:url-credentials]@cache:6379/0'],
    ['amqps://u:p@mq', 'amqps://[redacted:url-credentials]@mq'],
    [
      `git clone https://${'0123456789abcdef0123'}@git.example.com/x`,
      'git clone https://[redacted:url-credentials]@git.example.com/x',
    ],
    [
      'Server=db;User Id=sa;Password=s3cret;Encrypt=true',
      'Server=db;User Id=sa;Password=[redacted:password];Encrypt=true',
    ],
    ['AccountName=a;AccountKey=abc==;EndpointSuffix=x', 'AccountName=a;AccountKey=[redacted:api-key];EndpointSuffix=x'],
    ['kubectl --token abcdef get pods', 'kubectl --token [redacted:api-key] get pods'],
    [`vault ${'hvs.CAESIJ0123456789abcdefgh'}`, 'vault [redacted:api-key]'],
    // email, card
    ['mail to anna.b+c@example.co.uk now', 'mail to [redacted:email] now'],
    ['paid with 4111 1111 1111 1111 today', 'paid with [redacted:card] today'],
    ['amex 3782-822463-10005', 'amex [redacted:card]'],
    ['card=4111111111111111', 'card=[redacted:card]'],
  ])('%s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
    expect(redactText(expected)).toBe(expected);
  });

  it.each([
    ['nothing here'],
    ['{"prompt_tokens":12,"total_tokens":20} prompt: 12 content-type: text/plain'],
    ['{"content_length":"12","content-type":"a/b","content":"release notes","prompt":""}'],
    ['{"role":"admin","content":"a page","verb":"get"}'],
    ['role: user content: page, prompt: none'],
    ['GET /?prompt=none&role=user'],
    ['Received request to stop; prompt: shutdown'],
    ['prompt_tokens=512 completion_tokens=128 max_tokens: 4096'],
    ['trace 5b8efff798038103d269b633813fc60c span eee19b7ec3c1b174'],
    ['at 1760000000000000000 and 4111111111111111 ms'], // an id that passes Luhn
    ['uuid 41111111-1111-1111-1111-111111111111'],
    ['2026-12-01 14:46:59.1234 4000-4001-4002-4003-4004'],
    ['GPU-5f2c0a1e-4111-1111-1111-111111111111'],
    ['image registry.example.com/team/app@sha256:0123456789abcdef'],
    ['password authentication failed for user "app"'],
    ['password: null, secret: true'],
    ['bearer token missing'],
    ['Basic auth is required'],
    ['http://10.0.0.1:8000/v1/chat?x=a@b'],
    ['risk-assessment-of-something-very-long-indeed'],
    ['{"secretName":"my-tls","name":"TOKEN_LIMIT_FILE"}'],
    ['a"b:c@d'],
    ['GET /list?page_token=next&max_tokens=16'],
    ['--max-tokens 4096 --tokenizer llama --authorization-mode=Node,RBAC'],
    ['authorization: required'],
    ['cookie: none'],
    ['f47ac10b-58cc-4372-a567-0e02b2c3d479'],
    ['4539578763621486 4716461583322103'], // ids that pass Luhn, without a word
    ['order 4012888888881881 of shard 12'],
    ['timeUnixNano=1764583619000000000 observed=1764583619123456789'],
    ['http://10.0.0.1:8080/a:b@c'],
    ['design=signature=3 auth=none'],
    ['vllm:prompt_tokens_total{model_name="llama"} 5'],
  ])('leaves alone: %s', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('keeps JSON valid', () => {
    const secret = fc.constantFrom(
      'password',
      'api_key',
      'token',
      'note',
      'DB_PASSWORD',
      'authorization',
      'prompt',
      'content',
    );
    const value = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constant(`Bearer ${JWT}`),
      fc.constant('a\\"b'),
      fc.constant('{"role":"user"}'),
      fc.constant('http://u:p@h'),
    );
    const inner = fc.dictionary(secret, value).map((o) => JSON.stringify(o));
    fc.assert(
      fc.property(fc.array(fc.record({ name: secret, value: fc.oneof(value, inner) })), (list) => {
        expect(() => JSON.parse(redactText(JSON.stringify({ list })))).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });

  it('takes no longer than linear time for hostile text', () => {
    // A quadratic pattern would need hours for these.
    const pieces = [
      'eyJ',
      'eyJaaaaaa.',
      '-eyJaaaaaa',
      'a:',
      '://a:',
      'a@',
      'a.a@a.',
      'password',
      'password=',
      '"name":"password',
      KEY,
      'bearer ',
      'sk-a',
      '4111 ',
      '--password ',
      '\\',
      'secret\\"',
      'a@tcp(',
      'token=',
      'basic A',
      '"value":"',
      "passwd='",
      '"prompt":"',
      '"prompt":["',
      '{"role":"user","content":"',
      `\\"role\\":\\"user\\",\\"content\\":\\"`,
      `Received request a: prompt: '`,
      "', params: ",
      'prompt_token_ids: [1',
      'request a',
    ];
    for (const piece of pieces) {
      const text = piece.repeat(Math.ceil(400_000 / piece.length));
      expect(redactText(text).length).toBeGreaterThan(0);
    }
  });

  it('looks at every text that a rule would change', () => {
    const words = fc.constantFrom(
      'password',
      '=',
      ': ',
      '"',
      'x1y2z3',
      ' ',
      AWS,
      JWT,
      OPENAI,
      'bearer ',
      '://',
      'a:b@c',
      'me@example.com',
      '4111 1111 1111 1111',
      'token',
      'secret',
      '\\',
      KEY,
      'PASSWD',
      'Pwd',
      'API_KEY',
      'passWord',
      'ToKen',
      '   =   ',
      '--token',
      '"name":"x_token","value":"',
      '@tcp(',
      'aws_secret_access_key',
      'Basic ',
      'card ',
      '4111111111111111',
      'Access-Token',
      'Received request a: prompt: ',
      '"prompt" :',
      'prompt_token_ids: [1, 2]',
      `'role' : 'user'`,
      '"content": ',
      '["',
    );
    fc.assert(
      fc.property(
        fc.array(words, { maxLength: 12 }).map((parts) => parts.join('')),
        (text) => {
          for (const rule of textRules) {
            if (rule.apply(text) === text) continue;
            expect(rule.hint.test(text)).toBe(true);
            expect(mayHoldSecret(text)).toBe(true);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe('redactor', () => {
  const redactor = createRedactor();
  const map = (entries: Record<string, AttributeValue>) => new Map(Object.entries(entries));

  it('goes by the key where the value says nothing', () => {
    const attributes = map({
      'db.password': 'x',
      'cache.password': 4711n,
      'queue.api_key': 47.5,
      'has.password': true,
      'gen_ai.prompt.0.content': 12n,
      'http.request.header.authorization': ['Basic abc'],
      'http.request.header.x-api-key': ['k'],
      'gen_ai.input.messages': '[{"role":"user","content":"private"}]',
      'gen_ai.prompt.1.content': 'private',
      'gen_ai.usage.input_tokens': 12n,
      'gen_ai.token.type': 'input',
      nested: {
        kind: 'map',
        entries: map({ password: 'y', pin: { kind: 'map', entries: map({ pwd: 1234n }) }, user: 'u' }),
      },
    });
    expect(redactor.attributes(attributes)).toEqual(
      map({
        'db.password': '[redacted:password]',
        'cache.password': '[redacted:password]',
        'queue.api_key': '[redacted:api-key]',
        'has.password': true,
        'gen_ai.prompt.0.content': 12n,
        'http.request.header.authorization': '[redacted:bearer]',
        'http.request.header.x-api-key': '[redacted:api-key]',
        'gen_ai.input.messages': '[redacted:prompt]',
        'gen_ai.prompt.1.content': '[redacted:prompt]',
        'gen_ai.usage.input_tokens': 12n,
        'gen_ai.token.type': 'input',
        nested: {
          kind: 'map',
          entries: map({
            password: '[redacted:password]',
            pin: { kind: 'map', entries: map({ pwd: '[redacted:password]' }) },
            user: 'u',
          }),
        },
      }),
    );
  });

  it('looks into bytes that are text, and at keys', () => {
    const utf8 = (text: string) => new TextEncoder().encode(text);
    const binary = Uint8Array.of(0xff, ...utf8('password=x'));
    const attributes = new Map<string, AttributeValue>([
      ['a', utf8('é password=hunter2')],
      ['b', binary],
      ['c', utf8('plain')],
      ['me@example.com', 1n],
      ['you@example.com', 2n],
    ]);
    expect(redactor.attributes(attributes)).toEqual(
      new Map<string, AttributeValue>([
        ['a', utf8('é password=[redacted:password]')],
        ['b', binary],
        ['c', utf8('plain')],
        ['[redacted:email]', 1n],
        ['[redacted:email] (2)', 2n],
      ]),
    );
    const plain = new Map<string, AttributeValue>([['c', utf8('plain')]]);
    expect(redactor.attributes(plain)).toBe(plain);
  });

  it('masks the bodies of events that hold what a model was told or said', () => {
    const record = (name: string, body: string): LogRecord => ({
      timeNs: 0n,
      observedNs: 0n,
      severity: 0,
      severityText: '',
      body,
      resource: map({}),
      attributes: map({ 'event.name': name }),
      scope: { name: '', version: '' },
      traceId: '',
      spanId: '',
      flags: 0,
      place: nowhere,
    });
    const body = (name: string, text = 'private') => redactor.log(record(name, text)).body;
    expect(body('gen_ai.user.message')).toBe('[redacted:prompt]');
    expect(body('gen_ai.choice')).toBe('[redacted:prompt]');
    expect(body('gen_ai.user.message', '')).toBe('');
    expect(body('gen_ai.evaluation.result')).toBe('private');
    expect(body('user.message')).toBe('private');
    expect(createRedactor({ allow: [], prompts: 'keep' }).log(record('gen_ai.choice', 'x')).body).toBe('x');
  });

  it('covers names, events, links, status and the resource of a span', () => {
    const span: Span = {
      traceId: '',
      spanId: '',
      parentSpanId: '',
      name: `GET /?api_key=abc`,
      kind: 'client',
      startNs: 0n,
      endNs: 0n,
      status: 'error',
      statusMessage: `bad ${AWS}`,
      resource: map({ 'process.command_line': 'x --api-key abc' }),
      attributes: map({ url: 'http://u:p@h/' }),
      scope: { name: '', version: '' },
      events: [{ timeNs: 0n, name: 'e', attributes: map({ 'exception.message': 'password=x' }) }],
      links: [{ traceId: '', spanId: '', attributes: map({ a: OPENAI }) }],
      traceState: '',
      flags: 0,
      place: nowhere,
    };
    const text = JSON.stringify(redactor.span(span), (_key, value) =>
      typeof value === 'bigint' ? String(value) : value instanceof Map ? [...value] : value,
    );
    for (const secret of ['abc', AWS, 'u:p', 'password=x', OPENAI]) expect(text).not.toContain(secret);
  });

  it('gives back the same objects when there is nothing to hide', () => {
    const labels = ['__name__', 'up', 'job', 'node'];
    expect(redactor.labels(labels)).toBe(labels);
    const attributes = map({ a: 'b' });
    expect(redactor.attributes(attributes)).toBe(attributes);
  });

  it('hides in label values', () => {
    expect(redactor.labels(['__name__', 'x', 'url', 'http://u:p@h'])).toEqual([
      '__name__',
      'x',
      'url',
      'http://[redacted:url-credentials]@h',
    ]);
  });

  describe('in Kubernetes objects', () => {
    const version = (body: string) => ({
      cluster: '',
      uid: '',
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: '',
      name: '',
      resourceVersion: '',
      validFromMs: 0,
      deleted: false,
      body,
    });
    const clean = (object: unknown) => JSON.parse(redactor.object(version(JSON.stringify(object))).body);

    it.each([
      ['API_TOKEN', 'api-key'],
      ['DB_PASS', 'password'],
      ['PGPASSWORD', 'password'],
      ['MYSQL_PASSWORD_2', 'password'],
      ['REDIS_AUTH', 'bearer'],
      ['Authorization', 'bearer'],
      ['AWS_CREDENTIALS', 'api-key'],
      ['SSH_PRIVATE_KEY', 'private-key'],
      ['SENTRY_DSN', 'url-credentials'],
      ['CLIENT_SECRET', 'api-key'],
      ['clientToken', 'api-key'],
      ['STORAGE_ACCOUNT_KEY', 'api-key'],
    ])('masks the variable %s', (name, rule) => {
      expect(clean({ env: [{ name, value: 's3cret' }] })).toEqual({ env: [{ name, value: `[redacted:${rule}]` }] });
    });

    it.each([
      [
        ['--api-key', 'k1', '--port', '1'],
        ['--api-key', '[redacted:api-key]', '--port', '1'],
      ],
      [
        ['--password=a b', '-auth-token=x'],
        ['--password=[redacted:password]', '-auth-token=[redacted:api-key]'],
      ],
      [
        ['-c', 'run --db-pass="a b" --x=1'],
        ['-c', 'run --db-pass=[redacted:password] --x=1'],
      ],
      [['connect http://u:p@h'], ['connect http://[redacted:url-credentials]@h']],
    ])('masks in command lines: %j', (args, expected) => {
      expect(clean({ args })).toEqual({ args: expected });
    });

    it('masks by key, annotations of any domain included', () => {
      const annotations = { 'example.com/authorization': 'Basic x', 'x/password': 12345, note: 'a' };
      expect(clean({ metadata: { annotations } }).metadata.annotations).toEqual({
        'example.com/authorization': '[redacted:bearer]',
        'x/password': '[redacted:password]',
        note: 'a',
      });
    });

    it.each([
      [
        {
          env: [
            { name: 'MAX_TOKENS', value: '8192' },
            { name: 'TOKEN_LIMIT', value: '100000' },
          ],
        },
      ],
      [
        {
          env: [
            { name: 'AUTH_URL', value: 'https://h/' },
            { name: 'ENABLE_AUTH', value: 'oidc' },
          ],
        },
      ],
      [
        {
          env: [
            { name: 'COMPASS', value: 'north' },
            { name: 'TOKENIZERS_PARALLELISM', value: 'lazy' },
          ],
        },
      ],
      [{ env: [{ name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }] }],
      [
        {
          env: [
            { name: 'DB_PASSWORD', value: '$(OTHER)' },
            { name: 'API_TOKEN', value: '' },
          ],
        },
      ],
      [{ volumes: [{ name: 'token', secret: { secretName: 'my-tls' } }], automountServiceAccountToken: true }],
      [{ password: { name: 'db', key: 'password' }, token: { secretKeyRef: { name: 'a', key: 'token' } } }],
      [{ properties: { password: { type: 'string', description: 'of the database' }, cookies: [{ name: 'sid' }] } }],
      [{ imagePullSecrets: [{ name: 'registry' }], args: ['--max-num-batched-tokens=8192', '--token-file', '/x/y'] }],
    ])('keeps the bytes where nothing is secret: %j', (object) => {
      const before = version(JSON.stringify(object, null, 1));
      expect(redactor.object(before)).toBe(before);
    });

    it('goes by the text where it is no JSON', () => {
      expect(redactor.object(version('{"password=hunter2')).body).toBe('{"password=[redacted:password]');
    });

    const ofText = (body: string) => redactor.object(version(body)).body;

    it.each([
      [
        '{"id": 9007199254740993, "password": "hunter2"}',
        '{"id": 9007199254740993, "password": "[redacted:password]"}',
      ],
      ['{ "a":1.0,"a":2E3,"password":"hunter2" }', '{ "a":1.0,"a":2E3,"password":"[redacted:password]" }'],
      ['{"a":"\\u003cb\\/","password" : "hunter2"}', '{"a":"\\u003cb\\/","password" : "[redacted:password]"}'],
      ['{"password":"hunter2","password":""}', '{"password":"[redacted:password]","password":""}'],
      ['{"password":4711471147114711471}', '{"password":"[redacted:password]"}'],
      [
        '{"password":["hunter2"], "token":{"v":["x1"]}}',
        '{"password":"[redacted:password]", "token":"[redacted:api-key]"}',
      ],
      [
        '{"password":{"type":"plain", "value":"hunter2"}}',
        '{"password":{"type":"plain", "value":"[redacted:password]"}}',
      ],
      [
        '{"kind":"Secret","data":{"a":"eA==", "b":[1]},"rv":18446744073709551615}',
        '{"kind":"Secret","data":{"a":"[redacted:api-key]", "b":"[redacted:api-key]"},"rv":18446744073709551615}',
      ],
      [
        JSON.stringify({ last: '{"n":9007199254740993, "password":"hunter2"}' }),
        JSON.stringify({ last: '{"n":9007199254740993, "password":"[redacted:password]"}' }),
      ],
    ])('changes nothing but what is secret: %s', (before, after) => {
      expect(ofText(before)).toBe(after);
    });

    it('keeps every byte around secrets, whatever JSON they stand in', () => {
      const words = fc.string({ unit: fc.constantFrom(...'abc é\\"\n😀'), maxLength: 8 });
      const { any } = fc.letrec<{ any: unknown; secret: unknown }>((tie) => ({
        secret: fc.constant({ password: 'hunter2' }),
        any: fc.oneof(
          { maxDepth: 4 },
          words,
          fc.integer(),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.constantFrom(null, true),
          tie('secret'),
          fc.array(tie('any'), { maxLength: 4 }),
          fc.dictionary(words, tie('any'), { maxKeys: 4 }),
        ),
      }));
      fc.assert(
        fc.property(any, fc.constantFrom('', '\t', '  '), (value, indent) => {
          const before = JSON.stringify({ value, n: 'N' }, null, indent).replace('"N"', '12345678901234567890');
          expect(ofText(before)).toBe(before.replaceAll('"hunter2"', '"[redacted:password]"'));
        }),
      );
    });

    it('is not stopped by what is nested deep, in one text or in many', () => {
      const deep = (inner: string, depth: number) => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;
      const secret = '{"password":"hunter2"}';
      const clean = '{"password":"[redacted:password]"}';
      for (const depth of [2, 62, 63, 64, 65, 2_500, 100_000]) {
        const object = (inner: string) =>
          `{"password":"${inner === clean ? '[redacted:password]' : 'hunter2'}","a":${deep(inner, depth)}}`;
        expect(ofText(object(secret))).toBe(object(clean));
      }
      let nested = secret;
      for (let level = 0; level < 14; level++) nested = JSON.stringify({ a: [nested] });
      expect(ofText(nested)).not.toContain('hunter2');
    });

    it('keeps to the rules that are switched on', () => {
      const lenient = createRedactor({ allow: ['api-key'], prompts: 'mask' });
      const before = version(JSON.stringify({ env: [{ name: 'HF_TOKEN', value: 'abc' }] }));
      expect(lenient.object(before)).toBe(before);
    });
  });

  it('leaves out rules that are switched off', () => {
    const lenient = createRedactor({ allow: ['email'], prompts: 'keep' });
    expect(lenient.text('a@example.com password=x')).toBe('a@example.com password=[redacted:password]');
    const attributes = map({ 'gen_ai.prompt': 'hello' });
    expect(lenient.attributes(attributes)).toBe(attributes);
  });
});

describe('rules', () => {
  it('count the texts in which they hid something, and say when', () => {
    let now = 1000;
    const redactor = createRedactor({ allow: ['email'] }, { now: () => now });
    redactor.text('password=a password=b');
    now = 2000;
    redactor.attributes(new Map([['db.password', 'hunter2']]));
    redactor.text('a@example.com');
    const rule = (name: string) => redactor.rules().find((found) => found.name === name);
    expect(rule('password')).toMatchObject({ count: 2, lastMs: 2000, on: true, source: 'built-in' });
    expect(rule('email')).toMatchObject({ count: 0, lastMs: null, on: false });
    expect(
      createRedactor({ prompts: 'keep' })
        .rules()
        .filter(({ on }) => !on)
        .map(({ name }) => name),
    ).toEqual(['prompt']);
  });

  it('hide secrets in names of labels and keep the label', () => {
    const { labels } = createRedactor();
    const [one, two] = [`a_${AWS}`, `b ${AWS}`];
    expect(labels(['__name__', 'm', one, '1', two, '2'])).toEqual([
      '__name__',
      'm',
      'a_[redacted:aws-key]',
      '1',
      'b [redacted:aws-key]',
      '2',
    ]);
    expect(labels(['x a@b.example', '1', 'x c@b.example', '2'])).toEqual([
      'x [redacted:email]',
      '1',
      'x [redacted:email] (2)',
      '2',
    ]);
  });

  it('look into the scope of signals', () => {
    const scope = { name: 'a', version: '', attributes: new Map([['api_key', 'abc']]) };
    const { log } = createRedactor();
    const record: LogRecord = {
      timeNs: 0n,
      observedNs: 0n,
      severity: 0,
      severityText: '',
      body: '',
      resource: new Map(),
      attributes: new Map(),
      scope,
      traceId: '',
      spanId: '',
      flags: 0,
      place: nowhere,
    };
    expect(log(record).scope.attributes?.get('api_key')).toBe('[redacted:api-key]');
  });

  it.each([
    ['nothing', 'nothing here', []],
    ['one', 'a password=hunter2 b', [['password', 'hunter2']]],
    [
      'several of several rules',
      `mail a@b.example, key ${OPENAI} and postgres://u:p@h/`,
      [
        ['email', 'a@b.example'],
        ['api-key', OPENAI],
        ['url-credentials', 'u:p'],
      ],
    ],
    ['a secret that looks like what follows it', 'password=b b', [['password', 'b']]],
    ['quotes stay', '{"password":"a\\"b"}', [['password', 'a\\"b']]],
    ['a prompt that holds others', '{"prompt":"mail a@b.example","n":1}', [['prompt', 'mail a@b.example']]],
    ['one within another', `password=${AWS}x`, [['password', `${AWS}x`]]],
    ['a mark of an earlier rule', `cookie: a=${JWT}; b=1234`, [['api-key', `a=${JWT}; b=1234`]]],
  ])('explain where they hid what: %s', (_, text, expected) => {
    const redactor = createRedactor();
    const { text: clean, matches } = redactor.explain(text);
    expect(clean).toBe(redactText(text));
    expect(matches.map(({ rule, start, end }) => [rule, text.slice(start, end)])).toEqual(expected);
  });

  it('explain any text as they redact it', () => {
    const part = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom(
        'password=',
        '"token":"',
        '"',
        ' ',
        AWS,
        JWT,
        'a@b.example',
        '://u:p@h',
        '4111 1111 1111 1111',
        '{"role":"user","content":"',
        'cookie: a=bcde',
        '?token=abcdef',
        '\\"',
      ),
    );
    const redactor = createRedactor({ patterns: [{ name: 'mine', literal: 'abc', pattern: 'abc[a-z]*' }] });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const { text: clean, matches } = redactor.explain(text);
        expect(clean).toBe(redactor.text(text));
        let rebuilt = '';
        let done = 0;
        for (const { rule, start, end } of matches) {
          expect(start).toBeGreaterThanOrEqual(done);
          rebuilt += `${text.slice(done, start)}[redacted:${rule}]`;
          done = end;
        }
        expect(rebuilt + text.slice(done)).toBe(clean);
      }),
    );
  });
});
