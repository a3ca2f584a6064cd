/** Actions with scripted results, and a record of their calls: for behaviour that a real table does not show. */
import type { Actions } from '../../../lib/outbox/actions.ts'

export const NOW = 1_800_000_000_000

type Results = Record<string, readonly unknown[]>

export interface Asked {
  does: string
  args: readonly unknown[]
}

/** `results`: of each action, in order; an error is thrown. Afterwards it returns `usual`. */
export const scripted = (results: Results, usual: Record<string, unknown> = {}) => {
  const asked: Asked[] = []
  const left = new Map(Object.entries(results).map(([does, list]) => [does, [...list]]))
  const act =
    (does: string) =>
    async (...args: unknown[]) => {
      asked.push({ does, args })
      const list = left.get(does) ?? []
      const result = list.length > 0 ? list.shift() : usual[does]
      if (result instanceof Error) throw result
      return result
    }
  const environment = { now: () => NOW, random: () => 0.5, newId: () => 'mine', after: () => () => undefined }
  const actions = new Proxy(environment, {
    get: (own, name) => Reflect.get(own, name) ?? act(String(name)),
  }) as unknown as Actions
  return { actions, asked }
}

export const namesOf = (asked: readonly Asked[]): string => asked.map(({ does }) => does).join(' ')
export const textOf = (one: Asked | undefined): string => JSON.stringify(one?.args)
