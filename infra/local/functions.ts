/** The service's functions in this process, invoked as Lambda would: by key, with JSON in and out, and no longer than their timeout. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Lambda from 'serverless-offline/lambda'
import { type Serverless, splitHandler } from '../service.ts'
import { reason, StageFailure } from './failure.ts'

/** Rejects with what the function throws, and when it takes too long. */
export type Invoke = (functionKey: string, event: unknown) => Promise<unknown>

/**
 * Loads every function now: one that can't be loaded is told of at the start, and none has its first caller wait. Node loads them by itself;
 * serverless-offline, which would do it through tsx, finds them loaded.
 */
export const loadFunctions = async ({ service, serviceDir }: Serverless): Promise<void> => {
  for (const { handler } of Object.values(service.functions)) {
    const { module, name } = splitHandler(handler)
    try {
      const exports = await import(pathToFileURL(join(serviceDir, `${module}.ts`)).href)
      if (typeof exports[name] !== 'function') throw new Error(`it exports no function ${name}`)
    } catch (error) {
      throw new StageFailure(`${module}.ts can't be loaded: ${reason(error)}`, error)
    }
  }
}

const asJson = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

/** `options` are those of serverless-offline. */
export const createInvoke = (serverless: Serverless, options: Record<string, unknown>): Invoke => {
  const lambda = new Lambda(serverless, options)
  const definitions = Object.entries(serverless.service.functions)
  lambda.create(definitions.map(([functionKey, functionDefinition]) => ({ functionKey, functionDefinition })))
  return async (functionKey, event) => {
    const instance = lambda.get(functionKey)
    instance.setEvent(asJson(event))
    return asJson(await instance.runHandler())
  }
}
