/**
 * `serverless invoke local`: the CLI runs the function in its own process. Here it gets the environment of the running
 * stage; without one, with its own database and queues, as those of `npm start`.
 */
import { reason } from '../failure.ts'
import type { Serverless } from '../service.ts'
import { runningStage, useNoAwsAccount } from './running-stage.ts'
import { localSettings } from './settings.ts'
import { startStorage } from './storage.ts'

/** An event for functions that need no caller: what API Gateway hands over at least. */
export const EMPTY_REQUEST = {
  headers: {},
  pathParameters: null,
  queryStringParameters: null,
  body: null,
  requestContext: {},
}

/** Prepares the CLI's invocation; what it needs ends with the result. */
export const prepareInvocation = async ({ service, classes }: Serverless): Promise<AsyncDisposable> => {
  const parts = new AsyncDisposableStack()
  try {
    const settings = localSettings(process.env)
    useNoAwsAccount(service.provider.region)
    const environment =
      (await runningStage(settings.issuerDir)) ?? (await startStorage(service, settings, parts)).environment
    service.provider.environment = environment
    for (const definition of Object.values(service.functions)) {
      definition.environment = {}
      // The CLI loads a module by the path before the last dot.
      definition.handler = definition.handler.replace(/\.(\w+)$/, '.ts.$1')
    }
    return parts
  } catch (error) {
    await parts.disposeAsync()
    throw new classes.Error(reason(error))
  }
}
