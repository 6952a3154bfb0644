/**
 * One NVIDIA H100 SXM5 80 GB. Peaks from NVIDIA's H100 data sheet (dense, without sparsity); temperatures as
 * `nvidia-smi -q` reports them for this card; efficiencies and power split are engineering estimates.
 */
export const H100 = {
  modelName: 'NVIDIA H100 80GB HBM3',
  product: 'NVIDIA-H100-80GB-HBM3',
  memoryMiB: 81_559,
  reservedMiB: 604,
  smClockMHz: 1980,
  minSmClockMHz: 345,
  clockStepMHz: 15,
  memoryClockMHz: 2619,
  memoryBytesPerSecond: 3.35e12,
  flopsPerSecond: { fp8: 1.979e15, bf16: 0.989e15 },
  /** Share of the memory bandwidth that large kernels reach. */
  memoryEfficiency: 0.8,
  /** Share of peak compute that prefill reaches. */
  computeEfficiency: 0.5,
  /** Below this share of the peak clock too few loads are in flight to fill the memory bus. */
  bandwidthBoundClock: 0.7,
  powerLimitW: 700,
  idlePowerW: 72,
  /** Watts at full activity and peak clock. */
  smPowerW: 170,
  tensorPowerW: 420,
  dramPowerW: 300,
  /** Core power goes with clock times voltage squared; on the useful range that is close to this exponent. */
  clockPowerExponent: 2.2,
  /** Kelvin per watt from inlet air to die with healthy cooling. */
  thermalResistance: 0.065,
  /** Joule per kelvin of die and heat sink. */
  heatCapacity: 920,
  /** The driver holds the die at this temperature by lowering clocks (software thermal slowdown). */
  thermalTargetC: 86,
  /** Above this the hardware halves the clock by itself. */
  hardwareSlowdownC: 92,
} as const;
