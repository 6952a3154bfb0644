import { METRIC_NAME } from '../../model/index.ts';
import { PatternError } from '../re2/index.ts';
import { compileMatcher } from '../sources/index.ts';
import { FUNCTIONS } from './functions.ts';
import { TYPE_NAMES, type ValueType } from './signature.ts';
import {
  type Aggregation,
  type Binary,
  type Call,
  type Expr,
  isComparison,
  isSetOperator,
  quote,
  type Span,
  syntaxError,
  type VectorSelector,
} from './syntax/index.ts';

/** The expression's type; throws PromqlError in Prometheus' words where the types do not fit. */
export function checkTypes(text: string, expr: Expr): ValueType {
  return new TypeCheck(text).typeOf(expr);
}

class TypeCheck {
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  typeOf(expr: Expr): ValueType {
    switch (expr.kind) {
      case 'number':
        return 'scalar';
      case 'string':
        return 'string';
      case 'paren':
        return this.typeOf(expr.expr);
      case 'selector':
        this.checkSelector(expr);
        return 'vector';
      case 'range':
        this.checkSelector(expr.selector);
        return 'range';
      case 'subquery': {
        const inner = this.typeOf(expr.expr);
        if (inner !== 'vector')
          this.fail(expr.span, `subquery is only allowed on instant vector, got ${TYPE_NAMES[inner]} instead`);
        return 'range';
      }
      case 'unary': {
        const inner = this.typeOf(expr.expr);
        if (inner !== 'scalar' && inner !== 'vector') {
          this.fail(
            expr.span,
            `unary expression only allowed on expressions of type scalar or instant vector, got ${quote(TYPE_NAMES[inner])}`,
          );
        }
        return inner;
      }
      case 'binary':
        return this.checkBinary(expr);
      case 'aggregation':
        return this.checkAggregation(expr);
      case 'call':
        return this.checkCall(expr);
    }
  }

  private fail(at: Span, message: string): never {
    throw syntaxError(this.text, at, message);
  }

  private expect(expr: Expr, wanted: ValueType, context: string): void {
    const type = this.typeOf(expr);
    if (type !== wanted)
      this.fail(expr.span, `expected type ${TYPE_NAMES[wanted]} in ${context}, got ${TYPE_NAMES[type]}`);
  }

  private checkSelector(selector: VectorSelector): void {
    const tests = selector.matchers.map((matcher) => {
      try {
        return compileMatcher(matcher);
      } catch (error) {
        if (error instanceof PatternError) return this.fail(selector.span, error.message);
        throw error;
      }
    });
    if (tests.every((test) => test('')))
      this.fail(selector.span, 'vector selector must contain at least one non-empty matcher');
    const names = selector.matchers.filter((matcher) => matcher.name === METRIC_NAME && matcher.op === '=');
    const [first, second] = names;
    if (selector.name !== undefined && first && second) {
      const other = first.value === selector.name ? second.value : first.value;
      this.fail(selector.span, `metric name must not be set twice: ${quote(selector.name)} or ${quote(other)}`);
    }
  }

  private checkBinary(expr: Binary): ValueType {
    const [left, right] = [this.typeOf(expr.left), this.typeOf(expr.right)];
    const { op, matching } = expr;
    if (isComparison(op) && !expr.returnBool && left === 'scalar' && right === 'scalar') {
      this.fail(expr.span, 'comparisons between scalars must use BOOL modifier');
    }
    const twice =
      matching.kind === 'on' ? matching.labels.find((label) => matching.include.includes(label)) : undefined;
    if (twice !== undefined)
      this.fail(expr.span, `label ${quote(twice)} must not occur in ON and GROUP clause at once`);
    for (const [side, type] of [
      [expr.left, left],
      [expr.right, right],
    ] as const) {
      if (type !== 'scalar' && type !== 'vector')
        this.fail(side.span, 'binary expression must contain only scalar and instant vector types');
    }
    const isBetweenVectors = left === 'vector' && right === 'vector';
    if (!isBetweenVectors && matching.explicit)
      this.fail(expr.span, 'vector matching only allowed between instant vectors');
    if (!isBetweenVectors && isSetOperator(op))
      this.fail(expr.span, `set operator ${quote(op)} not allowed in binary scalar expression`);
    return left === 'scalar' && right === 'scalar' ? 'scalar' : 'vector';
  }

  private checkAggregation(expr: Aggregation): ValueType {
    if (expr.parameter)
      this.expect(expr.parameter, expr.op === 'count_values' ? 'string' : 'scalar', 'aggregation parameter');
    this.expect(expr.expr, 'vector', 'aggregation expression');
    return 'vector';
  }

  private checkCall(expr: Call): ValueType {
    const spec = FUNCTIONS.get(expr.name);
    if (!spec) return this.fail(expr.span, `unknown function with name ${quote(expr.name)}`);
    const { args, variadic } = spec;
    const given = expr.args.length;
    const call = `argument(s) in call to ${quote(expr.name)}, got ${given}`;
    if (variadic === 0 && given !== args.length) this.fail(expr.span, `expected ${args.length} ${call}`);
    if (variadic > 0 && given < args.length - 1) this.fail(expr.span, `expected at least ${args.length - 1} ${call}`);
    if (variadic > 0 && given > args.length - 1 + variadic)
      this.fail(expr.span, `expected at most ${args.length - 1 + variadic} ${call}`);
    for (const [index, arg] of expr.args.entries()) {
      const wanted = args[Math.min(index, args.length - 1)];
      // The second argument of info() is a list of matchers in a selector's clothes, which may well be empty.
      if (expr.name === 'info' && index === 1) this.checkInfoMatchers(arg);
      else if (wanted) this.expect(arg, wanted, `call to function ${quote(expr.name)}`);
    }
    return spec.returns;
  }

  private checkInfoMatchers(arg: Expr): void {
    if (arg.kind !== 'selector') this.fail(arg.span, 'expected label selectors only');
    if (arg.name !== undefined) this.fail(arg.span, `expected label selectors only, got vector selector instead`);
    for (const matcher of arg.matchers) {
      try {
        compileMatcher(matcher);
      } catch (error) {
        if (error instanceof PatternError) this.fail(arg.span, error.message);
        throw error;
      }
    }
  }
}
