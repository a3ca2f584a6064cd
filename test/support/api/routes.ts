/** The operations for generated requests: their paths, and bodies and queries that they take. */
import type { Contract } from '../../../lib/interface/contract.ts'
import { OPERATIONS } from '../../../lib/interface/operations.ts'
import { exampleOf } from '../calls/all.ts'
import type { Asked, CallScene } from '../calls/call-scene.ts'
import { tokenOfCaller } from '../calls/over-http.ts'
import { queryNames, writePath } from '../calls/request-line.ts'
import type { World } from './world.ts'

export interface Route {
  weight: number
  method: Contract['method']
  /** The path, with its parameters filled in by `id`. */
  path: (id: (valid: string) => string) => string
  /** Bodies that it takes. */
  bodies?: unknown[]
  /** Without `?`. */
  queries?: string[]
  /** Names of parameters in the query. */
  queryNames?: string[]
  /** Headers of the example, such as Accept. */
  headers?: Record<string, string>
  /** Of an authorized caller. */
  token?: string
}

/** Of each operation, so that one-time actions are repeated. */
const EXAMPLES = 2

const PAGES = ['', '', 'limit=1', 'limit=2&order=desc', 'limit=1000', 'order=asc']

const textOf = ({ query = {} }: Asked): string => new URLSearchParams(query).toString()

/** Operations with a body can fail in more ways. */
const weightOf = ({ body, parameters, security }: Contract): number =>
  body ? 8 : parameters ? 4 : security === 'none' ? 1 : 2

const routesTo = async (contract: Contract, world: World, scene: CallScene): Promise<Route[]> => {
  const { asked, other, caller, generateFrom } = await exampleOf(contract.operationId, scene)
  const requests = generateFrom ?? [asked, ...(other === undefined ? [] : [other])]
  const token = contract.security === 'none' ? undefined : await tokenOfCaller(world.issuers.eddsa, caller)
  const names = queryNames(contract)
  return requests.map((request) => ({
    weight: weightOf(contract) / requests.length,
    method: contract.method,
    path: (id) => writePath(contract, request.path, id),
    ...(contract.body && { bodies: [request.body ?? {}] }),
    queries: [textOf(request), ...(names.includes('limit') ? PAGES : [])],
    queryNames: names,
    ...(request.headers !== undefined && { headers: request.headers }),
    ...(token !== undefined && { token }),
  }))
}

/** All of them, with ids of the scene's agent, which is one of the world's, and envelopes that no agent has received. */
export const routesOf = async (world: World, scene: CallScene): Promise<Route[]> => {
  const { base, acme, globex } = world
  const envelopes = [base, acme, globex].flatMap(({ newEnvelopes }) => newEnvelopes.map(({ envelope }) => envelope))
  const routes: Route[] = [
    { weight: 8, method: 'POST', path: (id) => `/didcomm/${id(acme.tenantId ?? '')}`, bodies: envelopes },
    { weight: 4, method: 'POST', path: () => '/didcomm', bodies: envelopes },
    { weight: 4, method: 'GET', path: (id) => `/${id('nothing')}/${id('at-all')}` },
  ]
  for (let number = 0; number < EXAMPLES; number++)
    for (const contract of OPERATIONS) routes.push(...(await routesTo(contract, world, scene)))
  return routes
}
