/** API Gateway on hapi: serverless-offline's routes, with the service's authorizer before them and its gateway responses behind them. */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Request, Response, Server, Toolkit } from 'serverless-offline'
import { preflightHeaders } from '../gateway/preflight.ts'
import type { GatewayResponse, HttpEvent, Serverless, TokenAuthorizer } from '../service.ts'
import type { Invoke } from './functions.ts'
import { ratesOf } from './rates.ts'
import { type Caller, tokenAuthorizer } from './token-authorizer.ts'

/** serverless-offline's route for what no function has. */
const UNKNOWN_ROUTE = '/{p*}'

/** The gateway's own word for a route that it does not have. */
const UNKNOWN = 'MISSING_AUTHENTICATION_TOKEN'

/**
 * Headers that mean something to what runs here and nothing to the gateway: with the first anybody could say who they are to
 * serverless-offline, and hapi would cut answers and refuse what is no cookie.
 */
const NOT_OURS = ['sls-offline-authorizer-override', 'range', 'cookie']

/** What a body is that nobody says more of (RFC 9110, section 8.3). */
const BYTES = 'application/octet-stream'

/** Headers of a gateway response: literals in quotes, or the request's id. */
const headersOf = ({ responseParameters }: GatewayResponse): [name: string, value: string][] =>
  Object.entries(responseParameters).map(([name, value]) => [
    name.replace('gatewayresponse.header.', ''),
    value === 'context.extendedRequestId' ? randomUUID() : value.replace(/^'|'$/g, ''),
  ])

const answerWith = (h: Toolkit, gatewayResponse: GatewayResponse) => {
  const { statusCode, responseTemplates } = gatewayResponse
  const response = h.response(responseTemplates['application/json']).code(statusCode).type('application/json')
  for (const [name, value] of headersOf(gatewayResponse)) response.header(name, value)
  return asTheGatewaySends(response)
}

/** A gateway response as HTTP, where there is no request to answer. */
const asText = (gatewayResponse: GatewayResponse): string => {
  const { statusCode, responseTemplates } = gatewayResponse
  const body = responseTemplates['application/json']
  const headers = [
    ...headersOf(gatewayResponse),
    ['content-type', 'application/json'],
    ['content-length', Buffer.byteLength(body)],
    ['connection', 'close'],
  ]
  const lines = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  return [...lines, '', body].join('\r\n')
}

const typeOfStatus = (status: number): string => {
  if (status === 400) return 'BAD_REQUEST_PARAMETERS'
  if (status === 413) return 'REQUEST_TOO_LARGE'
  if (status === 415) return 'UNSUPPORTED_MEDIA_TYPE'
  return status >= 500 ? 'DEFAULT_5XX' : 'DEFAULT_4XX'
}

/** Whether a path is UTF-8 in percent-encoding (RFC 3986, section 2.5). */
const isEncoded = (path: string): boolean => {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** The type of the gateway response that stands in for hapi's or serverless-offline's own answer; undefined: a function gave it. */
const typeOf = ({ path, route, response }: Request): string | undefined => {
  // hapi has a route of the same name for a path that is none.
  if (route.path === UNKNOWN_ROUTE && isEncoded(path)) return UNKNOWN
  if (response.isBoom) return typeOfStatus(response.output.statusCode)
  // A function that crashed, timed out or gave no answer: no operation answers with these.
  return [502, 504].includes(Number(response.statusCode)) ? 'DEFAULT_5XX' : undefined
}

/** A parameter that takes the rest of the path, as hapi writes what the gateway writes `{id+}`. */
const GREEDY = /\{(\w+)\*\}$/

const routeOf = (path: string): string => path.replace(/\+\}$/, '*}')

/** The rest of a path that a greedy parameter stands for; undefined where the route has none. */
const restOf = (route: Request['route'], path: string): { name: string; value: string } | undefined => {
  const [parameter, name] = GREEDY.exec(route.path) ?? []
  if (parameter === undefined || name === undefined) return undefined
  const segments = route.path.slice(0, -parameter.length).split('/').length - 1
  return { name, value: path.split('/').slice(segments).join('/') }
}

/** The path as it came; hapi normalizes it. */
const sentPath = ({ raw }: Request): string => raw.req.url?.split('?')[0] ?? ''

/** The template of the path that a request goes to; hapi throws at what is no path. */
const templateOf = (server: Server, method: string, path: string): string | undefined => {
  try {
    return server.match(method, path)?.path
  } catch {
    return undefined
  }
}

/** Whether each segment of a template is a parameter: the gateway prefers a literal one, from the left. */
const rankOf = (template: string): string =>
  template
    .split('/')
    .map((segment) => (segment.startsWith('{') ? '1' : '0'))
    .join('')

/** The resource at a path. The gateway looks for it first, and then for its methods; hapi looks for a route of the method. */
const resourceAt = (server: Server, events: HttpEvent[], path: string): string | undefined => {
  const methods = new Set(events.map(({ method }) => method))
  const templates = [...methods].flatMap((method) => templateOf(server, method, path) ?? [])
  return templates.filter((template) => template !== UNKNOWN_ROUTE).sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))[0]
}

/** The answer to a preflight; undefined: nothing is at the path. */
const answerPreflight = (h: Toolkit, server: Server, events: HttpEvent[], path: string): Response | undefined => {
  const resource = resourceAt(server, events, path)
  const there = events.filter((event) => routeOf(event.path) === resource)
  const [cors] = there.flatMap(({ cors }) => cors ?? [])
  if (cors === undefined) return undefined
  const methods = there.map(({ method }) => method)
  const response = h.response().code(200).type('application/json')
  for (const [name, value] of Object.entries(preflightHeaders(cors, methods))) response.header(name, value)
  return asTheGatewaySends(response)
}

/** Has the server ask the service's authorizer, and answer with its gateway responses. */
export const applyGateway = (server: Server, { service }: Serverless, invoke: Invoke): void => {
  const responses = new Map(Object.entries(service.custom.gatewayResponses))
  const answer = (h: Toolkit, type: string) => {
    const response = responses.get(type) ?? responses.get('DEFAULT_5XX')
    return response === undefined ? h.response().code(500) : answerWith(h, response)
  }

  const events = Object.values(service.functions).flatMap(({ events = [] }) => events.flatMap(({ http }) => http ?? []))
  const authorizers = authorizersByRoute(events)
  const decide = tokenAuthorizer(invoke)
  const rates = ratesOf(service)

  /** Who calls (undefined: the method is open to all), or the type of the gateway response that turns the request away. */
  const admit = async ({ method, path, route, headers }: Request): Promise<Caller | string | undefined> => {
    const refusal = rates.countMethod(`${method} ${route.path}`)
    const authorizer = authorizers.get(`${method} ${route.path}`)
    if (refusal !== undefined || authorizer === undefined) return refusal
    const { region, stage } = service.provider
    const methodArn = `arn:aws:execute-api:${region}:000000000000:local/${stage}/${method.toUpperCase()}${path}`
    const decision = await decide(authorizer, headers.authorization, methodArn)
    return typeof decision === 'string' ? decision : (rates.countCaller(decision.usageIdentifierKey) ?? decision)
  }

  // hapi answers what is no HTTP, and headers of more than 16 KiB, without a body.
  server.listener.removeAllListeners('clientError')
  server.listener.on('clientError', (_, socket) => {
    const response = responses.get('BAD_REQUEST_PARAMETERS')
    if (!socket.writable || response === undefined) socket.destroy()
    else socket.end(asText(response))
  })

  server.ext('onRequest', ({ headers, raw }, h) => {
    for (const name of NOT_OURS) delete headers[name]
    raw.req.rawHeaders = withoutHeaders(raw.req.rawHeaders, NOT_OURS)
    // To the gateway every body is bytes, which functions are given in base64; serverless-offline does this for this type alone. What the function
    // is told are the raw headers.
    headers['content-type'] = 'multipart/form-data; boundary=none'
    return h.continue
  })

  server.ext('onPreAuth', async (request, h) => {
    const { method, route, path } = request
    // hapi takes HEAD for GET; to the gateway it is a method that no route has.
    // It takes nothing for the rest of a path, which it has taken dot segments out of, and `//` for `/`.
    const isNone = restOf(route, path)?.value === '' || sentPath(request) === '//'
    if (method === 'head' || isNone || resourceAt(server, events, path) !== route.path)
      return answer(h, UNKNOWN).takeover()
    const admitted = await admit(request)
    if (typeof admitted === 'string') return answer(h, admitted).takeover()
    if (admitted !== undefined) request.auth.credentials = admitted
    return h.continue
  })

  server.ext('onPreHandler', (request, h) => {
    const { params, payload, raw, route } = request
    // serverless-offline would call a body JSON that says nothing of itself.
    if (payload?.length && !hasHeader(raw.req.rawHeaders, 'content-type'))
      raw.req.rawHeaders.push('Content-Type', BYTES)
    // The gateway hands path parameters on as they came; hapi has decoded them.
    for (const [name, value] of Object.entries(params)) params[name] = encodeURIComponent(value)
    const rest = restOf(route, sentPath(request))
    if (rest !== undefined) params[rest.name] = rest.value
    return h.continue
  })

  server.ext('onPreResponse', (request, h) => {
    if (request.method === 'options') return answerPreflight(h, server, events, request.path) ?? answer(h, UNKNOWN)
    const type = typeOf(request)
    if (type !== undefined) return answer(h, type)
    return request.response.isBoom ? h.continue : asTheGatewaySends(request.response)
  })
}

/** Takes off what hapi and serverless-offline add to every answer. */
const asTheGatewaySends = (response: Response): Response => {
  delete response.headers['access-control-allow-credentials']
  return response.charset('')
}

const authorizersByRoute = (events: HttpEvent[]): Map<string, TokenAuthorizer> =>
  new Map(
    events.flatMap(({ method, path, authorizer }) =>
      authorizer === undefined ? [] : [[`${method.toLowerCase()} ${routeOf(path)}`, authorizer] as const],
    ),
  )

const hasHeader = (rawHeaders: string[], name: string): boolean =>
  rawHeaders.some((text, index) => index % 2 === 0 && text.toLowerCase() === name)

/** Node's raw headers are names and values in turn. */
const withoutHeaders = (rawHeaders: string[], names: string[]): string[] =>
  rawHeaders.filter((_, index) => !names.includes(rawHeaders[index - (index % 2)]?.toLowerCase() ?? ''))
