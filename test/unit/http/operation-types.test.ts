import { describe, expectTypeOf, test } from 'vitest'
import type { Principal } from '../../../lib/auth/principal.ts'
import { command } from '../../../lib/http/command.ts'
import { query } from '../../../lib/http/query.ts'
import { SendMessage, TenantGetBasicMessages } from '../../../lib/interface/basic-messages.ts'
import { ReceiveDidcomm } from '../../../lib/interface/didcomm.ts'
import { CreateRequest } from '../../../lib/interface/proof-request.ts'
import { GetHealth } from '../../../lib/interface/service.ts'
import { RegisterNotificationWebhook, RegisterWebhook } from '../../../lib/interface/webhooks.ts'
import { sealedResponses } from '../../../lib/store/sealed-responses.ts'
import type { UnitOfWork } from '../../../lib/store/unit-of-work.ts'

/** The compiler is what runs these: `npm run typecheck`. */
describe('an operation is typed by its contract', () => {
  const authorize = () => 'acme'
  const handle = async () => ({})
  const verify = async (): Promise<Principal> => ({
    role: 'RestRootAgent',
    organizations: {},
    subject: '',
    expiresAt: 0,
  })

  test('with path, query, body and principal, where it only reads', () => {
    query(TenantGetBasicMessages, {
      authorize: ({ principal, path }) => {
        expectTypeOf(principal).toEqualTypeOf<Principal>()
        return path.tenantId
      },
      handle: async ({ agent, path, query, body, unit }) => {
        expectTypeOf(agent).toEqualTypeOf<string>()
        expectTypeOf(path).toEqualTypeOf<{ connectionId: string; tenantId: string }>()
        expectTypeOf(query).toEqualTypeOf<{ limit: number; cursor?: string | undefined; order: 'asc' | 'desc' }>()
        expectTypeOf(body).toEqualTypeOf<undefined>()
        expectTypeOf(unit).toEqualTypeOf<undefined>()
        return []
      },
    })
    query(GetHealth, async ({ agent, principal }) => {
      expectTypeOf(principal).toEqualTypeOf<undefined>()
      expectTypeOf(agent).toEqualTypeOf<string | undefined>()
      return undefined
    })
  })

  test('and with a unit of work, where it changes something', () => {
    command(SendMessage, {
      authorize: ({ principal, body }) => {
        expectTypeOf(principal).toEqualTypeOf<Principal>()
        expectTypeOf(body).toEqualTypeOf<{ content: string }>()
        return 'acme'
      },
      handle: async ({ principal, path, query, body, unit }) => {
        expectTypeOf(principal).toEqualTypeOf<Principal>()
        expectTypeOf(path).toEqualTypeOf<{ connectionId: string }>()
        expectTypeOf(query).toEqualTypeOf<Record<string, never>>()
        expectTypeOf(body).toEqualTypeOf<{ content: string }>()
        expectTypeOf(unit).toEqualTypeOf<UnitOfWork>()
        return {}
      },
    })
    command(ReceiveDidcomm, {
      authorize: async ({ path, principal }) => {
        expectTypeOf(path).toEqualTypeOf<{ tenantId?: string | undefined }>()
        expectTypeOf(principal).toEqualTypeOf<undefined>()
        return 'acme'
      },
      handle: async ({ agent }) => {
        expectTypeOf(agent).toEqualTypeOf<string>()
        return undefined
      },
    })
    command(CreateRequest, {
      authorize,
      handle: async ({ body }) => {
        expectTypeOf(body.protocolVersion).toEqualTypeOf<'v1' | 'v2'>()
        expectTypeOf(body.autoAcceptProof).toEqualTypeOf<'always' | 'contentApproved' | 'never'>()
        return {}
      },
    })
    // @ts-expect-error: the body has no such field
    command(SendMessage, { authorize, handle: async ({ body }) => ({ x: body.nothing }) })
    // @ts-expect-error: what it changes would be no transaction
    query(SendMessage, { authorize, handle })
    // @ts-expect-error: an operation that only reads has nothing to commit
    command(TenantGetBasicMessages, { authorize, handle })
  })

  test('and acts for the agent of its token, unless its path names another', () => {
    command(SendMessage, handle)
    // @ts-expect-error: nothing checks whether the caller may use this tenant
    query(TenantGetBasicMessages, handle)
    // @ts-expect-error: nothing checks whether the caller manages this organization
    command(RegisterWebhook, { handle, codec: sealedResponses })
    // @ts-expect-error: without a token there is no agent to write for
    command(ReceiveDidcomm, handle)
  })

  test('and seals a response with a secret, and no other', () => {
    command(RegisterWebhook, { authorize, handle, codec: sealedResponses })
    // @ts-expect-error: a secret would be kept in the clear
    command(RegisterWebhook, { authorize, handle })
    // @ts-expect-error: there is no secret to seal, and no means to
    command(SendMessage, { authorize, handle, codec: sealedResponses })
  })

  test('and a verifier goes with an optional token, and with no other', () => {
    command(RegisterNotificationWebhook, {
      authorize: ({ principal }) => {
        expectTypeOf(principal).toEqualTypeOf<Principal | undefined>()
        return 'acme'
      },
      handle: async ({ principal }) => {
        expectTypeOf(principal).toEqualTypeOf<Principal | undefined>()
        return {}
      },
      codec: sealedResponses,
      verify,
    })
    // @ts-expect-error: without a verifier nothing checks the token
    command(RegisterNotificationWebhook, { authorize, handle, codec: sealedResponses })
    // @ts-expect-error: an operation that looks at no token needs no verifier
    query(GetHealth, { handle, verify })
  })
})
