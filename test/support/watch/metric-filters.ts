/**
 * Applies the metric filters of a template to log lines as CloudWatch does: the part of their language that is used there.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
import * as v from 'valibot'
import { ofType, type Resource } from '../../../infra/service.ts'

const Filter = v.object({
  FilterPattern: v.string(),
  MetricTransformations: v.tuple([
    v.strictObject({ MetricNamespace: v.string(), MetricName: v.string(), MetricValue: v.string() }),
  ]),
})

type Line = Record<string, unknown>

/** The metrics, each with its namespace, that a line has values of. */
export const valuesOf = (resources: Record<string, Resource>, line: Line): [metric: string, value: number][] =>
  ofType(resources, 'AWS::Logs::MetricFilter').flatMap(([, { Properties }]) => {
    const { FilterPattern, MetricTransformations } = v.parse(Filter, Properties)
    const [{ MetricNamespace, MetricName, MetricValue }] = MetricTransformations
    if (!matches(FilterPattern, line)) return []
    return [
      [`${MetricNamespace} ${MetricName}`, Number(MetricValue.startsWith('$.') ? at(line, MetricValue) : MetricValue)],
    ]
  })

const at = (line: Line, path: string): unknown =>
  path
    .split('.')
    .slice(1)
    .reduce<unknown>((value, name) => Object(value)[name], line)

/** `{ $.a = "b" && ($.c.d = "e*" || ...) }` */
const matches = (pattern: string, line: Line): boolean => {
  const [, all = ''] = /^\{(.*)\}\s*$/s.exec(pattern) ?? []
  return all.split('&&').every((part) => {
    const [, any] = /^\s*\((.*)\)\s*$/s.exec(part) ?? []
    return (any?.split('||') ?? [part]).some((term) => {
      const [, path, text = '', more] = /^\s*(\$[\w.]+) = "([^"*]*)(\*?)"\s*$/.exec(term) ?? []
      if (path === undefined) throw new Error(`${pattern} is not understood at ${term}`)
      return more === '' ? at(line, path) === text : String(at(line, path) ?? '').startsWith(text)
    })
  })
}
