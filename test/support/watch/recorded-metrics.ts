/** Metrics as CloudWatch keeps them: of each minute its sum, maximum and count of values; from lines of the log, or made by hand. */
import { valuesOf } from './metric-filters.ts'

export interface Point {
  sum: number
  maximum: number
  count: number
}

/** One metric: its namespace, name and dimensions, as a key. */
export const keyOf = (namespace: string, name: string, dimensions: Record<string, unknown> = {}): string =>
  JSON.stringify([namespace, name, Object.entries(dimensions).sort(([a], [b]) => a.localeCompare(b))])

/** The stack whose lines are recorded. */
export const STACK = 'serverless-agent-dev'

export class RecordedMetrics {
  readonly #points = new Map<string, Map<number, Point>>()

  /** Values of a minute (since the start of counting). */
  add(key: string, minute: number, ...values: number[]): void {
    const points = this.#points.get(key) ?? new Map<number, Point>()
    this.#points.set(key, points)
    for (const value of values) {
      const { sum, maximum, count } = points.get(minute) ?? { sum: 0, maximum: Number.NEGATIVE_INFINITY, count: 0 }
      points.set(minute, { sum: sum + value, maximum: Math.max(maximum, value), count: count + 1 })
    }
  }

  /** What CloudWatch makes of a line of the log in a minute, by its filters. */
  addLine(line: Record<string, unknown>, minute: number): void {
    for (const { name, value } of valuesOf(line)) this.add(keyOf(STACK, name), minute, value)
  }

  /** A statistic of the minutes from `from` to before `to`; undefined without data. */
  statistic(key: string, name: string, from: number, to: number): number | undefined {
    const points = this.#points.get(key)
    if (points === undefined) return undefined
    const found: Point[] = []
    for (let minute = from; minute < to; minute++) {
      const point = points.get(minute)
      if (point !== undefined) found.push(point)
    }
    if (found.length === 0) return undefined
    if (name === 'Maximum') return Math.max(...found.map(({ maximum }) => maximum))
    const total = (field: 'sum' | 'count') => found.reduce((sum, point) => sum + point[field], 0)
    return name === 'Average' ? total('sum') / total('count') : total(name === 'Sum' ? 'sum' : 'count')
  }

  get keys(): string[] {
    return [...this.#points.keys()]
  }

  /** Minutes of the first and the last value. */
  get range(): [from: number, until: number] {
    const minutes = [...this.#points.values()].flatMap((points) => [...points.keys()])
    return [minutes.reduce((a, b) => Math.min(a, b)), minutes.reduce((a, b) => Math.max(a, b))]
  }
}
