/** The API: serverless-offline's HTTP server in this process, without its banner, its lines for each request and its ways to exit. */
import ServerlessOffline from 'serverless-offline'
import type { Serverless } from '../service.ts'
import { StageFailure, systemCode } from './failure.ts'
import type { Invoke } from './functions.ts'
import { applyGateway } from './gateway.ts'
import { LOOPBACK } from './port.ts'

/** serverless-offline tells of everything; what is heard of it is a function that threw. The authorizer's `Unauthorized` is an answer. */
const log = {
  debug: () => {},
  info: () => {},
  notice: () => {},
  verbose: () => {},
  warning: () => {},
  error: (...args: unknown[]) => {
    const error = args.find((arg) => arg instanceof Error)
    if (error === undefined || error.message === 'Unauthorized') return
    console.error(JSON.stringify({ level: 'error', message: 'function failed', error: error.stack ?? error.message }))
  },
}

/** Runs something that writes to the console what nobody asked for. */
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

/** Listens on `port`. Throws `StageFailure`. */
export const startApi = async (serverless: Serverless, invoke: Invoke, port: number): Promise<Api> => {
  const options = {
    host: LOOPBACK,
    httpPort: port,
    // All functions in one process: with a worker thread for each, Credo would be loaded as often.
    useInProcess: true,
    noPrependStageInUrl: true,
    // Authorizers are gateway.ts's.
    noAuth: true,
    // hapi's word for `*` in every answer; by default it repeats the caller's origin, and says nothing to a caller without one.
    corsAllowOrigin: 'ignore',
  }
  const offline = new ServerlessOffline(serverless, options, { log })
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
    if (systemCode(error) !== 'EADDRINUSE') throw error
    throw new StageFailure(`Port ${port} is taken: set PORT to another one, or to 0 for any.`, error)
  }
  return { stop: () => offline.end(true) }
}
