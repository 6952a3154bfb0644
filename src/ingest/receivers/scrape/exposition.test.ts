import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatLabels, labelSet } from '../../../model/index.ts';
import { PageError, type PageFormat, PageReader } from './exposition.ts';
import { normalNumber, parseValue } from './number.ts';

/** Every sample of a page as `series value [@time]`, or the error. */
function read(page: string | Buffer, format: PageFormat = 'text'): string[] | string {
  const reader = new PageReader(Buffer.from(page), format);
  const lines: string[] = [];
  try {
    for (let entry = reader.next(); entry !== 'end'; entry = reader.next()) {
      if (entry !== 'series') continue;
      const time = reader.timeMs === undefined ? '' : ` @${reader.timeMs}`;
      lines.push(`${formatLabels(labelSet(reader.labels()))} ${reader.value}${time}`);
    }
    return lines;
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    return error.message;
  }
}

// What Prometheus 2.42 does with these pages was compared by scraping them with it.
describe('text format 0.0.4', () => {
  it.each<[title: string, page: string, samples: string[]]>([
    ['an empty page', '', []],
    ['a sample', 'a 1\n', ['a 1']],
    ['no newline at the end', 'a 1', ['a 1']],
    ['empty lines and blanks', '\n \t\n a\t \t1 \n\n', ['a 1']],
    ['comments', '# hello\n#\n# HELP\n#HELP a\n# UNIT a b\na 1\n# EOF\n', ['a 1']],
    ['empty braces', 'a{} 1\na { } 2\n', ['a 1', 'a 2']],
    ['labels', 'a{x="1",y="2"} 1\n', ['a{x="1", y="2"} 1']],
    ['a comma at the end', 'a{x="1",} 1\n', ['a{x="1"} 1']],
    ['blanks everywhere', 'a { x = "1" , y = "2" , } 1\n', ['a{x="1", y="2"} 1']],
    ['no blank after the brace', 'a{x="1"}1\n', ['a{x="1"} 1']],
    ['escapes; unknown ones stay', 'a{x="\\\\ \\" \\n \\t"} 1\n', [`a{x=${JSON.stringify('\\ " \n \\t')}} 1`]],
    ['braces, commas and quotes inside a value', 'a{x="},{\\"#"} 1\n', ['a{x="},{\\"#"} 1']],
    ['a timestamp', 'a 1 1700000000123\na 1 -5\n', ['a 1 @1700000000123', 'a 1 @-5']],
    [
      'special values',
      'a NaN\na +Inf\na -Inf\na inf\na Infinity\na nan\n',
      ['a NaN', 'a Infinity', 'a -Infinity', 'a Infinity', 'a Infinity', 'a NaN'],
    ],
    [
      'numbers',
      'a 1.\na .5\na +1\na -1.5e3\na 1e-400\na 12345678901234567890\na 0.1\n',
      ['a 1', 'a 0.5', 'a 1', 'a -1500', 'a 0', 'a 12345678901234567000', 'a 0.1'],
    ],
    ['an empty label', 'a{x=""} 1\n', ['a 1']],
    ['colons in the name', 'vllm:x_total 1\n', ['vllm:x_total 1']],
    ['UTF-8 in values', 'a{x="größe😀"} 1\n', ['a{x="größe😀"} 1']],
    ['quoted names', '{"my.metric","a.b"="c",d="e"} 1\n', ['my.metric{a.b="c", d="e"} 1']],
    [
      'bounds of a histogram',
      '# TYPE h histogram\nh_bucket{le="1"} 1\nh_bucket{le="+Inf"} 2\n',
      ['h_bucket{le="1.0"} 1', 'h_bucket{le="+Inf"} 2'],
    ],
    [
      'quantiles of a summary',
      '# TYPE s summary\ns{quantile="1"} 1\ns{le="1"} 1\n',
      ['s{quantile="1.0"} 1', 's{le="1"} 1'],
    ],
    ['le elsewhere', '# TYPE g gauge\ng{le="1"} 1\n', ['g{le="1"} 1']],
  ])('%s', (_title, page, samples) => {
    expect(read(page)).toEqual(samples);
  });

  it.each<[page: string, error: string]>([
    ['a 1\nb{x="1} 1\n', 'line 2, character 5: a quoted text without an end: b{x="1} 1'],
    ['a\n', 'line 1, character 2: expected a value: a'],
    ['a \n', 'line 1, character 2: expected a value: a '],
    ['a one\n', 'line 1, character 3: expected a number as the value: a one'],
    ['a 0x10\n', 'line 1, character 3: expected a number as the value: a 0x10'],
    ['a 1_0\n', 'line 1, character 3: expected a number as the value: a 1_0'],
    ['a 1e400\n', 'line 1, character 3: expected a number as the value: a 1e400'],
    ['a 1\r\n', 'line 1, character 3: a carriage return before the end of the line: a 1\r'],
    ['a 1 2\r\n', 'line 1, character 5: a carriage return before the end of the line: a 1 2\r'],
    ['a 1 1.5\n', 'line 1, character 5: expected a timestamp in milliseconds: a 1 1.5'],
    [
      'a 1 99999999999999999999\n',
      'line 1, character 5: expected a timestamp in milliseconds: a 1 99999999999999999999',
    ],
    ['a 1 2 3\n', 'line 1, character 6: text after the timestamp: a 1 2 3'],
    ['1a 1\n', 'line 1, character 1: expected a metric name: 1a 1'],
    ['a-b 1\n', 'line 1, character 2: expected a value: a-b 1'],
    ['a{1x="1"} 1\n', 'line 1, character 3: expected a label name: a{1x="1"} 1'],
    ['a{x=1} 1\n', 'line 1, character 5: expected a label value in quotes: a{x=1} 1'],
    ['a{x="1"\n', 'line 1, character 2: labels without a closing brace: a{x="1"'],
    ['a{x="1" y="2"} 1\n', 'line 1, character 9: expected "," or "}" after a label: a{x="1" y="2"} 1'],
    ['a{,} 1\n', 'line 1, character 3: expected a label name: a{,} 1'],
    ['a{x="1",x="2"} 1\n', 'line 1, character 9: label "x" comes twice: a{x="1",x="2"} 1'],
    ['a{__name__="b"} 1\n', 'line 1, character 3: label "__name__" comes twice: a{__name__="b"} 1'],
    ['{x="1"} 1\n', 'line 1, character 1: the metric has no name: {x="1"} 1'],
    ['# TYPE a bogus\n', 'line 1, character 9: "bogus" is not a metric type: # TYPE a bogus'],
    ['# TYPE 1 gauge\n', 'line 1, character 8: expected a metric name after TYPE: # TYPE 1 gauge'],
  ])('refuses %j', (page, error) => {
    expect(read(page)).toBe(error);
  });

  it('refuses labels that are not UTF-8', () => {
    expect(read(Buffer.from('a{x="\xff"} 1\n', 'latin1'))).toMatch(/^line 1, character 5: a label that is not UTF-8/);
  });
});

describe('OpenMetrics 1.0', () => {
  it.each<[title: string, page: string, samples: string[]]>([
    ['an empty page', '# EOF\n', []],
    ['no newline after the end', 'a 1\n# EOF', ['a 1']],
    ['a timestamp in seconds', 'a 1 1.5\na 1 1e3\na 1 -1.5\n# EOF\n', ['a 1 @1500', 'a 1 @1000000', 'a 1 @-1500']],
    [
      'exemplars',
      '# TYPE a counter\na_total 1 # {x="1"} 0.5\na_total 2 1.0 # {} 0.5 1.0\n# EOF\n',
      ['a_total 1', 'a_total 2 @1000'],
    ],
    [
      'unit and help',
      '# TYPE a_seconds gauge\n# UNIT a_seconds seconds\n# HELP a_seconds x "y" \\" z\na_seconds 1\n# EOF\n',
      ['a_seconds 1'],
    ],
    ['bounds', '# TYPE a gaugehistogram\na_bucket{le="1"} 1\n# EOF\n', ['a_bucket{le="1.0"} 1']],
  ])('%s', (_title, page, samples) => {
    expect(read(page, 'openmetrics')).toEqual(samples);
  });

  it.each<[page: string, error: RegExp]>([
    ['', /does not end with "# EOF"/],
    ['a 1\n', /does not end with "# EOF"/],
    ['a 1\n# EOF\nb 1\n', /^line 3: there is data after "# EOF": b 1$/],
    ['a 1\n\n# EOF\n', /^line 2: an empty line/],
    ['a  1\n# EOF\n', /^line 1, character 3: expected a number/],
    ['a\t1\n# EOF\n', /^line 1, character 2: expected a value/],
    [' a 1\n# EOF\n', /^line 1, character 1: expected a metric name/],
    ['a{x="1", y="2"} 1\n# EOF\n', /^line 1, character 9: expected a label name/],
    ['a{x="1",} 1\n# EOF\n', /^line 1, character 9: a comma without a label/],
    ['a 1 NaN\n# EOF\n', /^line 1, character 5: expected a timestamp in seconds/],
    ['a 1 \n# EOF\n', /^line 1, character 4: expected a timestamp/],
    ['a 1 2 3\n# EOF\n', /^line 1, character 7: text after the timestamp/],
    ['a 1\r\n# EOF\n', /^line 1, character 3: a carriage return/],
    ['# foo\n# EOF\n', /^line 1: expected "# HELP"/],
    ['# HELP a\n# EOF\n', /^line 1, character 9: expected text after the name in HELP/],
    ['# TYPE a untyped\n# EOF\n', /"untyped" is not a metric type/],
    ['# UNIT a seconds\n# EOF\n', /unit "seconds" is not the end of the name a/],
    ['a 1 # {x="1"}\n# EOF\n', /expected the value of an exemplar/],
    ['a 1 # {x=1} 1\n# EOF\n', /expected a label value in quotes/],
  ])('refuses %j', (page, error) => {
    expect(read(page, 'openmetrics')).toMatch(error);
  });
});

describe('numbers', () => {
  it('any number comes out as JavaScript reads it', () => {
    const parse = (text: string) => parseValue(Buffer.from(text), 0, text.length);
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parse(String(value))).toBe(Number(String(value)));
        expect(parse(value.toExponential())).toBe(Number(value.toExponential()));
      }),
    );
    fc.assert(
      fc.property(
        fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 10 ** 9 }), fc.nat({ max: 10 ** 6 })),
        ([negative, whole, fraction]) => {
          const text = `${negative ? '-' : ''}${whole}.${fraction}`;
          expect(parse(text)).toBe(Number(text));
        },
      ),
    );
  });

  // Spellings as Go's strconv.FormatFloat(f, 'g', -1, 64) gives them.
  it.each([
    ['1', '1.0'],
    ['0', '0.0'],
    ['-1', '-1.0'],
    ['0.005', '0.005'],
    ['0.0001', '0.0001'],
    ['0.00001', '1e-05'],
    ['123456', '123456.0'],
    ['1000000', '1e+06'],
    ['1048576', '1.048576e+06'],
    ['1e21', '1e+21'],
    ['+Inf', '+Inf'],
    ['-inf', '-Inf'],
    ['NaN', 'NaN'],
    ['abc', 'abc'],
    ['1e100', '1e+100'],
  ])('bound %s is spelled %s', (text, expected) => {
    expect(normalNumber(text)).toBe(expected);
  });
});

describe('any page', () => {
  it('is read or refused with PageError, and every line is named or read', () => {
    const piece = fc.constantFrom(
      'a',
      'b_total',
      '{',
      '}',
      '"',
      '\\',
      '=',
      ',',
      ' ',
      '\t',
      '\n',
      '#',
      ' 1',
      ' 1e5',
      ' NaN',
      '# HELP ',
      '# TYPE ',
      '# EOF\n',
      'histogram',
      'le',
      'x="1"',
      '\r',
      '\0',
      'é',
    );
    const page = fc.oneof(
      fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(page, fc.constantFrom<PageFormat>('text', 'openmetrics'), (text, format) => {
        const result = read(text, format);
        if (typeof result === 'string') expect(result).toMatch(/^line \d+/);
      }),
      { numRuns: 2000 },
    );
  });

  it('with any series comes out as it went in', () => {
    const name = fc.stringMatching(/^[a-zA-Z_:][a-zA-Z0-9_:]{0,10}$/);
    const labelName = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,10}$/).filter((n) => n !== '__name__');
    const one = fc.record({
      name,
      labels: fc.dictionary(labelName, fc.string({ minLength: 1, unit: 'grapheme' })),
      value: fc.double({ noNaN: true, noDefaultInfinity: true }),
    });
    const quote = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
    fc.assert(
      fc.property(fc.array(one), (all) => {
        const page = all.map(
          (s) =>
            `${s.name}{${Object.entries(s.labels)
              .map(([n, v]) => `${n}=${quote(v)}`)
              .join(',')}} ${s.value}\n`,
        );
        const expected = all.map(
          (s) => `${formatLabels(labelSet([['__name__', s.name], ...Object.entries(s.labels)]))} ${s.value}`,
        );
        expect(read(page.join(''))).toEqual(expected);
        expect(read(`${page.join('')}# EOF\n`, 'openmetrics')).toEqual(expected);
      }),
    );
  });

  it('of node_exporter gives every sample', () => {
    const page = readFileSync(new URL('testdata/node-exporter.prom', import.meta.url));
    const lines = page
      .toString()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(read(page)).toHaveLength(lines.length);
  });
});
