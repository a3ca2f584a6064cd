/**
 * API Gateway on hapi: makes serverless-offline's routes behave as on AWS, with authorizer, rates, preflights and
 * gateway responses.
 */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Request, Response, Server, Toolkit } from 'serverless-offline'
import { ContentCodingError, decodeContent } from '../../lib/egress/content-coding.ts'
import { systemCode } from '../failure.ts'
import { preflightHeaders } from '../gateway/preflight.ts'
import type { GatewayResponse, HttpEvent, Serverless, Service, TokenAuthorizer } from '../service.ts'
import type { Invoke } from './functions.ts'
import { hasHeader, MAX_HEADER_BYTES, remapHeaders, sizeOfHeaders, withoutHeaders } from './headers.ts'
import { ratesOf } from './rates.ts'
import { type Caller, tokenAuthorizer } from './token-authorizer.ts'

/** serverless-offline's route for all paths that no function has. */
const UNKNOWN_ROUTE = '/{p*}'

/** API Gateway's response type for a route that does not exist. */
const UNKNOWN = 'MISSING_AUTHENTICATION_TOKEN'

/**
 * Too many bytes of headers (RFC 6585, section 5), which API Gateway rejects before it knows the API: none of its types
 * is for them, so infra/gateway-responses.yml can't have it.
 */
const HEADERS_TOO_LARGE = 'HEADERS_TOO_LARGE'

/**
 * Headers that serverless-offline and hapi evaluate, but API Gateway does not: the first replaces the authorizer's
 * response, and hapi would respond with ranges and reject invalid cookies.
 */
const NOT_OURS = ['sls-offline-authorizer-override', 'range', 'cookie']

/** Content codings of request bodies that API Gateway undoes by itself, and its limit in bytes. */
const CODINGS = /^(gzip|deflate|identity)?$/i
const MAX_BODY = 10 * 1024 * 1024

/**
 * Undoes the content coding of a request's body; returns the type of the gateway response if it can't.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-make-request-with-compressed-payload.html
 */
const undoCoding = async (request: Request): Promise<string | undefined> => {
  const { payload, headers } = request
  const coding = headers['content-encoding']?.trim() ?? ''
  if (!payload?.length) return undefined
  if (!CODINGS.test(coding)) return 'UNSUPPORTED_MEDIA_TYPE'
  try {
    request.payload = await decodeContent(payload, coding, MAX_BODY)
    return request.payload === undefined ? 'REQUEST_TOO_LARGE' : undefined
  } catch (error) {
    if (error instanceof ContentCodingError) return 'UNSUPPORTED_MEDIA_TYPE'
    throw error
  }
}

/** Type of a body without a content type (RFC 9110, section 8.3). */
const BYTES = 'application/octet-stream'

/** Headers of a gateway response: literals in quotes, or the request's id. */
const headersOf = ({ responseParameters }: GatewayResponse): [name: string, value: string][] =>
  Object.entries(responseParameters).map(([name, value]) => [
    name.replace('gatewayresponse.header.', ''),
    value === 'context.extendedRequestId' ? randomUUID() : value.replace(/^'|'$/g, ''),
  ])

const respondWith = (h: Toolkit, gatewayResponse: GatewayResponse) => {
  const { statusCode, responseTemplates } = gatewayResponse
  const response = h.response(responseTemplates['application/json']).code(statusCode).type('application/json')
  for (const [name, value] of headersOf(gatewayResponse)) response.header(name, value)
  return asTheGatewaySends(response)
}

/** A gateway response as HTTP text, for a connection without a valid request. */
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

/** Whether a path or query is UTF-8 in percent-encoding (RFC 3986, section 2.5). */
const isEncoded = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/**
 * The type of the gateway response that replaces hapi's or serverless-offline's own response; undefined: the response
 * is a function's.
 */
const typeOf = ({ path, route, response }: Request): string | undefined => {
  // hapi uses this route for invalid paths too.
  if (route.path === UNKNOWN_ROUTE && isEncoded(path)) return UNKNOWN
  if (response.isBoom) return typeOfStatus(response.output.statusCode)
  // A function crashed, timed out or gave no response: no operation uses these statuses.
  return [502, 504].includes(Number(response.statusCode)) ? 'DEFAULT_5XX' : undefined
}

/** A parameter for the rest of the path, in hapi's notation; API Gateway's is `{id+}`. */
const GREEDY = /\{(\w+)\*\}$/

const routeOf = (path: string): string => path.replace(/\+\}$/, '*}')

/** Name and value of the route's greedy parameter; undefined if it has none. */
const restOf = (route: Request['route'], path: string): { name: string; value: string } | undefined => {
  const [parameter, name] = GREEDY.exec(route.path) ?? []
  if (parameter === undefined || name === undefined) return undefined
  const segments = route.path.slice(0, -parameter.length).split('/').length - 1
  return { name, value: path.split('/').slice(segments).join('/') }
}

/** The path as it was sent; hapi normalizes it. */
const sentPath = ({ raw }: Request): string => raw.req.url?.split('?')[0] ?? ''

/** The template of the route for a path; hapi throws if the path is invalid. */
const templateOf = (server: Server, method: string, path: string): string | undefined => {
  try {
    return server.match(method, path)?.path
  } catch {
    return undefined
  }
}

/** Sorts templates as API Gateway prefers them: literal segments before parameters, from the left. */
const rankOf = (template: string): string =>
  template
    .split('/')
    .map((segment) => (segment.startsWith('{') ? '1' : '0'))
    .join('')

/**
 * The resource at a path. API Gateway looks for it first, and then for its method; hapi looks for a route with the
 * method.
 */
const resourceAt = (server: Server, events: HttpEvent[], path: string): string | undefined => {
  const methods = new Set(events.map(({ method }) => method))
  const templates = [...methods].flatMap((method) => templateOf(server, method, path) ?? [])
  return templates.filter((template) => template !== UNKNOWN_ROUTE).sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))[0]
}

/** The response to a preflight; undefined: there is no such path. */
const respondToPreflight = (h: Toolkit, server: Server, events: HttpEvent[], path: string): Response | undefined => {
  const resource = resourceAt(server, events, path)
  const there = events.filter((event) => routeOf(event.path) === resource)
  const [cors] = there.flatMap(({ cors }) => cors ?? [])
  if (cors === undefined) return undefined
  const methods = there.map(({ method }) => method)
  const response = h.response().code(200).type('application/json')
  for (const [name, value] of Object.entries(preflightHeaders(cors, methods))) response.header(name, value)
  return asTheGatewaySends(response)
}

/** The gateway responses of the service by type, and the one for too many bytes of headers. */
const responsesOf = ({ custom }: Service): Map<string, GatewayResponse> => {
  const responses = new Map(Object.entries(custom.gatewayResponses))
  const other = responses.get('DEFAULT_4XX')
  const body = JSON.stringify({ statusCode: 431, error: STATUS_CODES[431] })
  if (other !== undefined)
    responses.set(HEADERS_TOO_LARGE, {
      ...other,
      statusCode: 431,
      responseTemplates: { 'application/json': body },
    })
  return responses
}

/** Adds the authorizer, the rates, preflights and gateway responses of the service to the server. */
export const applyGateway = (server: Server, { service }: Serverless, invoke: Invoke): void => {
  const responses = responsesOf(service)
  const respond = (h: Toolkit, type: string) => {
    const response = responses.get(type) ?? responses.get('DEFAULT_5XX')
    return response === undefined ? h.response().code(500) : respondWith(h, response)
  }

  const events = Object.values(service.functions).flatMap(({ events = [] }) => events.flatMap(({ http }) => http ?? []))
  const authorizers = authorizersByRoute(events)
  const decide = tokenAuthorizer(invoke)
  const rates = ratesOf(service)

  /**
   * The caller (undefined: the method needs no token), or the type of the gateway response if the request is rejected.
   */
  const admit = async ({ method, path, route, headers }: Request): Promise<Caller | string | undefined> => {
    const rejection = rates.countMethod(`${method} ${route.path}`)
    const authorizer = authorizers.get(`${method} ${route.path}`)
    if (rejection !== undefined || authorizer === undefined) return rejection
    const { region, stage } = service.provider
    const methodArn = `arn:aws:execute-api:${region}:000000000000:local/${stage}/${method.toUpperCase()}${path}`
    const decision = await decide(authorizer, headers.authorization, methodArn)
    return typeof decision === 'string' ? decision : (rates.countCaller(decision.usageIdentifierKey) ?? decision)
  }

  // hapi's response to invalid HTTP, and to headers of more than 16 KiB, has no body.
  server.listener.removeAllListeners('clientError')
  server.listener.on('clientError', (error, socket) => {
    const isTooLarge = systemCode(error) === 'HPE_HEADER_OVERFLOW'
    const response = responses.get(isTooLarge ? HEADERS_TOO_LARGE : 'BAD_REQUEST_PARAMETERS')
    if (!socket.writable || response === undefined) socket.destroy()
    else socket.end(asText(response))
  })

  server.ext('onRequest', ({ app, headers, raw }, h) => {
    app.hasTooLargeHeaders = sizeOfHeaders(raw.req.rawHeaders) > MAX_HEADER_BYTES
    if (app.hasTooLargeHeaders) return respond(h, HEADERS_TOO_LARGE).takeover()
    for (const name of NOT_OURS) delete headers[name]
    raw.req.rawHeaders = withoutHeaders(raw.req.rawHeaders, NOT_OURS)
    // API Gateway passes every body to functions in base64; serverless-offline does this only for this type. Functions
    // get the raw headers.
    headers['content-type'] = 'multipart/form-data; boundary=none'
    return h.continue
  })

  server.ext('onPreAuth', async (request, h) => {
    const { method, route, path } = request
    // hapi answers every HEAD as GET, which API Gateway does not. hapi also accepts an empty rest of a path, removes dot
    // segments, and reads `//` as `/`.
    const isNone = restOf(route, path)?.value === '' || sentPath(request) === '//'
    const hasMethod = method !== 'head' || events.some((event) => event.method === method && event.path === route.path)
    if (!hasMethod || isNone || resourceAt(server, events, path) !== route.path) return respond(h, UNKNOWN).takeover()
    if (!isEncoded(request.raw.req.url ?? '')) return respond(h, 'BAD_REQUEST_PARAMETERS').takeover()
    const admitted = await admit(request)
    if (typeof admitted === 'string') return respond(h, admitted).takeover()
    if (admitted !== undefined) request.auth.credentials = admitted
    return h.continue
  })

  server.ext('onPreHandler', async (request, h) => {
    const rejection = await undoCoding(request)
    if (rejection !== undefined) return respond(h, rejection).takeover()
    const { params, payload, raw, route } = request
    // serverless-offline would give a body without a content type that of JSON.
    if (payload?.length && !hasHeader(raw.req.rawHeaders, 'content-type'))
      raw.req.rawHeaders.push('Content-Type', BYTES)
    // API Gateway passes path parameters on as they were sent; hapi has decoded them.
    for (const [name, value] of Object.entries(params)) params[name] = encodeURIComponent(value)
    const rest = restOf(route, sentPath(request))
    if (rest !== undefined) params[rest.name] = rest.value
    return h.continue
  })

  // Gateway responses do not come here.
  server.ext('onPostHandler', ({ response }, h) => {
    if (!response.isBoom) remapHeaders(response)
    return h.continue
  })

  server.ext('onPreResponse', (request, h) => {
    if (request.app.hasTooLargeHeaders) return h.continue
    if (request.method === 'options') return respondToPreflight(h, server, events, request.path) ?? respond(h, UNKNOWN)
    const type = typeOf(request)
    if (type !== undefined) return respond(h, type)
    return request.response.isBoom ? h.continue : asTheGatewaySends(request.response)
  })
}

/** Removes what hapi and serverless-offline add to every response. */
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
