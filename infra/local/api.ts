/**
 * The API: serverless-offline's HTTP server in this process, without its banner, its log of requests and its ways to
 * exit.
 */
import ServerlessOffline from 'serverless-offline'
import Lambda from 'serverless-offline/lambda'
import { reason, StageFailure, systemCode } from '../failure.ts'
import type { Serverless } from '../service.ts'
import type { Invoke } from './functions.ts'
import { applyGateway } from './gateway.ts'

/**
 * Makes serverless-offline's routes invoke our functions instead of its pool. The error's message is a fixed text,
 * because serverless-offline reads a status in brackets from it; the function's own error is in the log.
 */
const invokeBy = (invoke: Invoke): void => {
  Lambda.prototype.get = (functionKey) => {
    let event: unknown
    return {
      setEvent: (next) => {
        event = next
      },
      runHandler: async () => {
        try {
          return await invoke(functionKey, event)
        } catch (cause) {
          throw new Error('the function failed', { cause })
        }
      },
    }
  }
}

/** Runs `act` without its output on the console. */
const quietly = async (act: () => Promise<void>): Promise<void> => {
  const write = console.log
  console.log = () => {}
  try {
    await act()
  } finally {
    console.log = write
  }
}

export interface Api {
  stop(): Promise<void>
}

/** Where the API listens. */
interface Listening {
  host: string
  port: number
  /** Folder of its certificate; undefined: without TLS. */
  tlsFolder: string | undefined
}

/** Throws `StageFailure`. */
export const startApi = async (
  serverless: Serverless,
  invoke: Invoke,
  { host, port, tlsFolder }: Listening,
): Promise<Api> => {
  const options = {
    host,
    httpPort: port,
    httpsProtocol: tlsFolder,
    noPrependStageInUrl: true,
    // gateway.ts does it.
    noAuth: true,
    // hapi then answers with `*`. By default it repeats the caller's origin, and sends no header to a caller without
    // one.
    corsAllowOrigin: 'ignore',
  }
  invokeBy(invoke)
  // Without a log, because it would log every request.
  const offline = new ServerlessOffline(serverless, options, {})
  const internals = offline.internals()
  await quietly(async () => {
    internals.mergeOptions()
    const { lambdas, httpEvents } = internals.getEvents()
    await internals.createLambda(lambdas, true)
    await internals.createHttp(httpEvents, true)
  })

  const server = internals.getApiGatewayServer()
  applyGateway(server, serverless, invoke)
  try {
    await server.start()
  } catch (error) {
    if (systemCode(error) === 'EADDRINUSE')
      throw new StageFailure(`Port ${port} is taken: set PORT to another one, or to 0 for any.`, error)
    throw new StageFailure(`${host}, port ${port}: ${reason(error)}`, error)
  }
  return { stop: () => offline.end(true) }
}
