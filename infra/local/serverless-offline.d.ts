/** Types for serverless-offline, as far as the local stage uses it: its Lambda pool, and its API Gateway on hapi. */

declare module 'serverless-offline/lambda' {
  interface LambdaFunction {
    setEvent(event: unknown): void
    runHandler(): Promise<unknown>
  }

  export default class Lambda {
    /** An idle instance of the function, or a new one. */
    get(functionKey: string): LambdaFunction
  }
}

declare module 'serverless-offline' {
  import type { Serverless } from '../service.ts'

  interface Response {
    isBoom?: false
    /** serverless-offline sets strings too. */
    statusCode: number | string
    headers: Record<string, unknown>
    code(status: number): Response
    type(mediaType: string): Response
    /** Empty: the media type goes out without one. */
    charset(charset: string): Response
    header(name: string, value: string): Response
    takeover(): Response
  }

  /** An error of hapi itself. */
  interface Boom {
    isBoom: true
    output: { statusCode: number }
  }

  interface Request {
    method: string
    path: string
    headers: Record<string, string | undefined>
    params: Record<string, string>
    /** The body as it came. */
    payload: Buffer | null | undefined
    route: { path: string }
    auth: { credentials: unknown }
    /** What extensions say of the request. */
    app: { hasTooLargeHeaders?: boolean }
    raw: { req: { rawHeaders: string[]; url?: string } }
    response: Response | Boom
  }

  interface Toolkit {
    continue: symbol
    response(body?: string): Response
  }

  type Extension = (request: Request, h: Toolkit) => unknown

  interface Server {
    listener: import('node:http').Server
    ext(
      point: 'onRequest' | 'onPreAuth' | 'onPreHandler' | 'onPostHandler' | 'onPreResponse',
      extension: Extension,
    ): void
    /** The route that a request of the method and path goes to. Throws when the path is none. */
    match(method: string, path: string): { path: string } | null
    start(): Promise<void>
  }

  interface Internals {
    mergeOptions(): void
    getEvents(): { lambdas: unknown[]; httpEvents: unknown[] }
    createLambda(lambdas: unknown[], skipStart: boolean): Promise<void>
    createHttp(events: unknown[], skipStart: boolean): Promise<void>
    getApiGatewayServer(): Server
  }

  export default class ServerlessOffline {
    constructor(serverless: Serverless, options: Record<string, unknown>, utilities: object)
    internals(): Internals
    end(keepProcess: boolean): Promise<void>
  }
}
