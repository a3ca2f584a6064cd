/** References of a template's resources: CloudFormation rejects a template with a dependency cycle. */
import type { Resource } from '../../../infra/service.ts'

/** Ids of other resources, in `Ref`, `Fn::GetAtt` and `Fn::Sub`. */
const referencesIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, of]) => {
    if (name === 'Ref') return [String(of)]
    if (name === 'Fn::GetAtt') return [String([of].flat()[0]).split('.')[0] ?? '']
    if (name !== 'Fn::Sub') return referencesIn(of)
    const [text, variables] = [of].flat()
    const named = [...String(text).matchAll(/\$\{([^!}.]+)/g)].map(([, id]) => id ?? '')
    return [...named.filter((id) => !Object.hasOwn(Object(variables), id)), ...referencesIn(variables)]
  })
}

/** For each resource of a template, the ids that it depends on, and the unknown ids that it refers to. */
export const referencesOf = (resources: Record<string, Resource>, id: string): string[] => {
  const { Properties, DependsOn } = resources[id] ?? {}
  return [...referencesIn(Properties), ...[DependsOn ?? []].flat()]
}

/** Resources in a dependency cycle; undefined without one. */
export const cycleIn = (resources: Record<string, Resource>): string[] | undefined => {
  const through = new Set<string>()
  const follow = (id: string, way: string[]): string[] | undefined => {
    if (way.includes(id)) return [...way.slice(way.indexOf(id)), id]
    if (through.has(id) || resources[id] === undefined) return undefined
    for (const other of referencesOf(resources, id)) {
      const cycle = follow(other, [...way, id])
      if (cycle !== undefined) return cycle
    }
    through.add(id)
    return undefined
  }
  for (const id of Object.keys(resources)) {
    const cycle = follow(id, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}
