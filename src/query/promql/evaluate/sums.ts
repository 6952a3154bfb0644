/**
 * Compensated summation after Kahan and Neumaier, in the variant that Prometheus uses: an infinite sum loses its
 * compensation. Add with `add`, read with `sum + compensation`.
 */
export class CompensatedSum {
  sum = 0;
  compensation = 0;

  reset(): void {
    this.sum = 0;
    this.compensation = 0;
  }

  add(value: number): void {
    const total = this.sum + value;
    if (total === Number.POSITIVE_INFINITY || total === Number.NEGATIVE_INFINITY) this.compensation = 0;
    else if (Math.abs(this.sum) >= Math.abs(value)) this.compensation += this.sum - total + value;
    else this.compensation += value - total + this.sum;
    this.sum = total;
  }

  total(): number {
    return Math.abs(this.sum) === Number.POSITIVE_INFINITY ? this.sum : this.sum + this.compensation;
  }
}

/** A mean by compensated sum, which goes over to incremental means when the sum overflows. */
export class RunningMean {
  private readonly sum = new CompensatedSum();
  private incremental = false;
  private count = 0;

  reset(): void {
    this.sum.reset();
    this.incremental = false;
    this.count = 0;
  }

  add(value: number): void {
    this.count++;
    if (!this.incremental) {
      const { sum, compensation } = this.sum;
      this.sum.add(value);
      if (this.count === 1 || Math.abs(this.sum.sum) !== Number.POSITIVE_INFINITY) return;
      this.incremental = true;
      this.sum.sum = sum / (this.count - 1);
      this.sum.compensation = compensation / (this.count - 1);
    }
    const kept = (this.count - 1) / this.count;
    this.sum.sum *= kept;
    this.sum.compensation *= kept;
    this.sum.add(value / this.count);
  }

  mean(): number {
    if (this.incremental) return this.sum.sum + this.sum.compensation;
    return this.sum.sum / this.count + this.sum.compensation / this.count;
  }
}
