/** Who calls: the principal of the authorizer's context, or of the token itself where the gateway asks for none. */
import { type Principal, principalFromContext } from '../auth/principal.ts'
import type { Contract } from '../interface/contract.ts'
import { headerOf, keep, type OperationEvent, type OperationMiddleware } from './event.ts'

/** Verifies an `Authorization` header. Throws `auth.unauthorized` or `auth.keys_unavailable`. */
export type Verify = (authorization: string) => Promise<Principal>

const epochSeconds = (): number => Date.now() / 1000

/** A header that is there must hold a valid token; a caller who thinks to be known is not treated as unknown. */
const optionalPrincipal = async (event: OperationEvent, verify: Verify | undefined) => {
  const authorization = headerOf(event, 'authorization')?.trim()
  return authorization && verify ? verify(authorization) : undefined
}

export const checkCaller =
  ({ security }: Contract, verify?: Verify): OperationMiddleware =>
  ({ event }) => {
    if (security === 'token')
      keep(event, { principal: principalFromContext(event.requestContext?.authorizer, epochSeconds()) })
    if (security === 'optional') return optionalPrincipal(event, verify).then((principal) => keep(event, { principal }))
  }
