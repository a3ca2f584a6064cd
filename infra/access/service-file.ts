/** The functions of serverless.yml, for what does not run in Serverless. */
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { parse } from 'yaml'
import { type FunctionDefinition, isObject } from '../service.ts'

type Event = NonNullable<FunctionDefinition['events']>[number]

/** MB. */
const DEFAULT_MEMORY = 512

const ServiceFile = v.object({
  functions: v.record(
    v.string(),
    v.object({
      handler: v.string(),
      permissions: v.array(v.string()),
      memorySize: v.optional(v.number(), DEFAULT_MEMORY),
      events: v.optional(v.array(v.custom<Event>(isObject)), []),
    }),
  ),
})

let functions: v.InferOutput<typeof ServiceFile>['functions'] | undefined

/** By the function's key. */
export const functionsOfServiceFile = (): v.InferOutput<typeof ServiceFile>['functions'] => {
  const text = () => readFileSync(new URL('../../serverless.yml', import.meta.url), 'utf8')
  // Our own file: each function has aliases.
  functions ??= v.parse(ServiceFile, parse(text(), { merge: true, maxAliasCount: -1 })).functions
  return functions
}

/** `permissions` of each function, by its key. */
export const permissionsOfServiceFile = (): Record<string, string[]> =>
  Object.fromEntries(Object.entries(functionsOfServiceFile()).map(([key, { permissions }]) => [key, permissions]))
