/** Figures out of many samples. */

/** The sample that the share `q` (0 to 1) of all lies at or below. NaN of none. */
export const quantile = (samples: readonly number[], q: number): number => {
  const sorted = [...samples].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5)

/** Rounds for showing. */
export const rounded = (value: number, digits = 1): number => Number(value.toFixed(digits))
