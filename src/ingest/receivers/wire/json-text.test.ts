import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTurns } from '../../turns.ts';
import { DecodeError, type Json, openJson, parseJson, readJson } from './index.ts';

const read = (text: string | Buffer) => readJson(Buffer.from(text), createTurns());

describe('a JSON body in turns', () => {
  it('has the value that it has at once, whatever its size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }),
        fc.constantFrom(undefined, 2),
        fc.constantFrom(1, 150_000),
        fc.boolean(),
        async (value, indent, bytes, hasBig) => {
          const text = JSON.stringify(value, undefined, indent);
          const times = Math.ceil(bytes / text.length);
          const list = Array.from({ length: times }, () => text).join(' , ');
          const whole = `{"a":[${hasBig ? '-9007199254740993,' : ''}${list}]}`;
          expect(await read(whole)).toEqual(parseJson(Buffer.from(whole)));
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each(['{"a":[1]}', '{"a":9007199254740993}'])('has the same value behind a byte order mark: %s', async (text) => {
    const value = parseJson(Buffer.from(text));
    expect(await read(`\ufeff${text}`)).toEqual(value);
    expect(parseJson(Buffer.from(`\ufeff${text}`))).toEqual(value);
  });

  it('keeps integers that a double cannot hold, in short and long values', async () => {
    const many = Array.from(
      { length: 10_000 },
      (_, i) => `{"n":${9007199254740993n + BigInt(i)},"d":0.12345678901234566}`,
    );
    const value = await read(`[${many.join()}]`);
    expect(value).toHaveLength(10_000);
    expect((value as Json[])[9_999]).toEqual({ n: 9007199254750992n, d: 0.12345678901234566 }); // of the length above
  });

  it.each([
    ['{"a": }', 'line 1, column 7: expected a value, found "}"'],
    ['{\n "ü" 1}', 'line 2, column 6: expected ":", found "1"'],
    ['[1, 2', 'expected "]", found the end'],
    ['[1 2]', 'line 1, column 4: expected "," or "]"'],
    ['[1,]', 'expected a value, found "]"'],
    ['{"a":1,}', 'expected a name in quotes'],
    ['[}', 'line 1, column 2: expected a value'],
    ['"abc', 'a string without an end'],
    ['{a: 1}', 'line 1, column 2: expected a name in quotes, found "a"'],
    ['{"password" =hunter2}', /expected ":", found "="$/],
    ['1 2', 'expected the end, found "2"'],
    ['[]]', 'line 1, column 3: expected the end'],
    ['', 'expected a value, found the end'],
    ['['.repeat(400), 'nested more than 300 deep'],
  ])('says where: %s', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
    await expect(read(text)).rejects.toThrow(DecodeError);
  });

  it('says where in a long body, too', async () => {
    const text = `[\n${Array.from({ length: 30_000 }, (_, i) => (i === 29_000 ? '{"a":tru}' : '{"a":true}')).join(',\n')}]`;
    await expect(read(text)).rejects.toThrow('line 29002, column 6: expected a value');
  });

  it('any bytes are what JSON.parse says, or a DecodeError', async () => {
    const good = Buffer.from('{"a":[1,{"b":"\\u00e9\\"\\\\"},-1.5e3,true,null,"ü"],"c":{}}');
    const damaged = fc.tuple(fc.nat(good.length - 1), fc.constantFrom(...'{}[]",:0n\\ \u0001')).map(([at, c]) => {
      const copy = Buffer.from(good);
      copy.write(c, at, 'latin1');
      return copy;
    });
    const any = fc.oneof(
      damaged,
      fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(any, async (bytes) => {
        const outcome = await read(bytes).then(
          (value) => ({ value }),
          (error: unknown) => {
            expect(error).toBeInstanceOf(DecodeError);
            return undefined;
          },
        );
        let expected: { value: unknown } | undefined;
        try {
          expected = { value: JSON.parse(new TextDecoder('utf8', { fatal: true, ignoreBOM: true }).decode(bytes)) };
        } catch {
          // Not JSON.
        }
        expect(outcome).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('gives members and elements one by one, the last of equal names', async () => {
    const text = await openJson(Buffer.from(' {"a":[1,[2,{}],{"b":{"c":3}}],"a":null,"d":["x"]} '), createTurns());
    const members = text.members(text.root);
    expect([...members.keys()]).toEqual(['a', 'd']);
    const [a, d] = [...members.values()];
    expect(a && [...text.elements(a)]).toEqual([]);
    expect(d && [...text.elements(d)].map((part) => text.value(part))).toEqual(['x']);
    expect(() => text.elements(text.root)).toThrow('expected an array, found an object');
    expect(() => d && text.members(d)).toThrow('expected an object, found an array');
  });
});
