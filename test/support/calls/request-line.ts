/** Path and query of an operation, as its contract has them. */
import type { Contract } from '../../../lib/interface/contract.ts'

/** Names of the parameters in a path: `{name}`, or `{name+}` which takes the rest of the path. */
const PARAMETER = /\{(\w+)(\+?)\}/g

/** The path through a tenant, where the values name one. */
const templateOf = ({ path, tenantPath }: Contract, values: Record<string, string>): string =>
  tenantPath !== undefined && 'tenantId' in values ? tenantPath : path

export const parametersOf = ({ path, tenantPath = path }: Contract): { name: string; greedy: boolean }[] =>
  [...tenantPath.matchAll(PARAMETER)].map(([, name = '', plus]) => ({ name, greedy: plus === '+' }))

/** The path with these values, each of which goes through `write`. What has none is called `nothing`. */
export const writePath = (
  contract: Contract,
  values: Record<string, string> = {},
  write: (value: string) => string = (value) => value,
): string =>
  templateOf(contract, values).replace(PARAMETER, (_, name: string) =>
    write(encodeURIComponent(values[name] ?? 'nothing')),
  )

/** Names of the parameters in the query. */
export const queryNames = ({ parameters }: Contract): string[] => {
  const query: object = parameters?.query ?? {}
  return 'entries' in query ? Object.keys(Object(query.entries)) : []
}
