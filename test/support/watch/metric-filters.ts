/**
 * What CloudWatch makes of lines of the log by the filters of infra/metric-filters.yml: the part of their language that
 * is used there. https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { parse } from 'yaml'

const Filters = v.record(
  v.string(),
  v.object({
    Properties: v.object({
      FilterPattern: v.string(),
      MetricTransformations: v.tuple([
        v.strictObject({ MetricNamespace: v.string(), MetricName: v.string(), MetricValue: v.string() }),
      ]),
    }),
  }),
)

type Line = Record<string, unknown>

const FILTERS = Object.values(v.parse(Filters, parse(readFileSync('infra/metric-filters.yml', 'utf8')).Resources)).map(
  ({ Properties: { FilterPattern, MetricTransformations } }) => {
    const [{ MetricName, MetricValue }] = MetricTransformations
    return { matches: matcherOf(FilterPattern), name: MetricName, value: MetricValue }
  },
)

/** The metrics, by their names in the namespace of the stack, that a line has values of. */
export const valuesOf = (line: Line): { name: string; value: number }[] =>
  FILTERS.filter(({ matches }) => matches(line)).map(({ name, value }) => ({
    ...{ name, value: Number(value.startsWith('$.') ? at(line, value) : value) },
  }))

const at = (line: Line, path: string): unknown =>
  path
    .split('.')
    .slice(1)
    .reduce<unknown>((value, name) => Object(value)[name], line)

/** `{ $.a = "b" && ($.c.d = "e*" || ...) }` */
function matcherOf(pattern: string): (line: Line) => boolean {
  const [, inner] = /^\{(.*)\}\s*$/s.exec(pattern) ?? []
  if (inner === undefined) throw new Error(`${pattern} is not for JSON`)
  const tokens = inner.match(/\$[\w.]+|"[^"]*"|&&|\|\||[=()]|\S/g) ?? []
  const take = (expected?: string): string => {
    const token = tokens.shift() ?? ''
    if (expected !== undefined && token !== expected) throw new Error(`${pattern}: ${token} in place of ${expected}`)
    return token
  }
  const term = (): ((line: Line) => boolean) => {
    const first = take()
    if (first === '(') {
      const within = any()
      take(')')
      return within
    }
    take('=')
    const text = take().slice(1, -1)
    if (text.endsWith('*')) return (line) => String(at(line, first) ?? '').startsWith(text.slice(0, -1))
    return (line) => at(line, first) === text
  }
  const all = (): ((line: Line) => boolean) => {
    const terms = [term()]
    while (tokens[0] === '&&' && take()) terms.push(term())
    return (line) => terms.every((matches) => matches(line))
  }
  const any = (): ((line: Line) => boolean) => {
    const terms = [all()]
    while (tokens[0] === '||' && take()) terms.push(all())
    return (line) => terms.some((matches) => matches(line))
  }
  const whole = any()
  if (tokens.length > 0) throw new Error(`${pattern}: ${tokens.join(' ')} is too much`)
  return whole
}
