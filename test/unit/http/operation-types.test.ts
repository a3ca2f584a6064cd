import { describe, expectTypeOf, test } from 'vitest'
import type { Principal } from '../../../lib/auth/principal.ts'
import { defineCommand } from '../../../lib/http/command.ts'
import { type Act, defineOperation, type OperationRequest } from '../../../lib/http/operation.ts'
import { SendMessage, TenantGetBasicMessages } from '../../../lib/interface/basic-messages.ts'
import { ReceiveDidcomm } from '../../../lib/interface/didcomm.ts'
import { CreateRequest } from '../../../lib/interface/proofs.ts'
import { GetHealth } from '../../../lib/interface/service.ts'
import { RegisterNotificationWebhook, RegisterWebhook } from '../../../lib/interface/webhooks.ts'
import { sealedAnswers } from '../../../lib/store/sealed-answers.ts'
import type { UnitOfWork } from '../../../lib/store/unit-of-work.ts'

/** The compiler is what runs these: `npm run typecheck`. */
describe('an act is typed by its contract', () => {
  test('with path, query, body and principal', () => {
    defineOperation(SendMessage, async ({ path, query, body, principal }) => {
      expectTypeOf(path).toEqualTypeOf<{ connectionId: string }>()
      expectTypeOf(query).toEqualTypeOf<Record<string, never>>()
      expectTypeOf(body).toEqualTypeOf<{ content: string }>()
      expectTypeOf(principal).toEqualTypeOf<Principal>()
      return {}
    })
    defineOperation(TenantGetBasicMessages, async ({ query, body }) => {
      expectTypeOf(query).toEqualTypeOf<{ limit: number; cursor?: string | undefined; order: 'asc' | 'desc' }>()
      expectTypeOf(body).toEqualTypeOf<undefined>()
      return []
    })
    defineOperation(CreateRequest, async ({ body }) => {
      expectTypeOf(body.protocolVersion).toEqualTypeOf<'v1' | 'v2'>()
      expectTypeOf(body.autoAcceptProof).toEqualTypeOf<'always' | 'contentApproved' | 'never'>()
      return {}
    })
    defineOperation(ReceiveDidcomm, async ({ path, principal }) => {
      expectTypeOf(path).toEqualTypeOf<{ tenantId?: string | undefined }>()
      expectTypeOf(principal).toEqualTypeOf<undefined>()
      return undefined
    })
  })

  test('through a wrapper that passes the request on', () => {
    const wrapped = <Request extends Pick<OperationRequest, 'header'>>(act: Act<Request>): Act<Request> => act
    defineOperation(
      SendMessage,
      wrapped(async ({ body }) => {
        expectTypeOf(body).toEqualTypeOf<{ content: string }>()
        return {}
      }),
    )
  })

  test('also that of a command, which runs in a unit of work', () => {
    const authorize = () => 'acme'
    defineCommand(SendMessage, {
      authorize: ({ principal, body }) => {
        expectTypeOf(principal).toEqualTypeOf<Principal>()
        expectTypeOf(body).toEqualTypeOf<{ content: string }>()
        return 'acme'
      },
      act: async ({ path, unit }) => {
        expectTypeOf(path).toEqualTypeOf<{ connectionId: string }>()
        expectTypeOf(unit).toEqualTypeOf<UnitOfWork>()
        return {}
      },
    })
    defineCommand(RegisterWebhook, { authorize, act: async () => ({}), answers: sealedAnswers })
    // @ts-expect-error: nobody would ask whether the caller may
    defineCommand(SendMessage, { act: async () => ({}) })
    // @ts-expect-error: a secret would be kept in the clear
    defineCommand(RegisterWebhook, { authorize, act: async () => ({}) })
    // @ts-expect-error: there is no secret to seal, and no means to
    defineCommand(SendMessage, { authorize, act: async () => ({}), answers: sealedAnswers })
  })

  test('and a verifier goes with an optional token, and with no other', () => {
    const verify = async (): Promise<Principal> => ({
      role: 'RestRootAgent',
      organizations: {},
      subject: '',
      expiresAt: 0,
    })
    defineOperation(
      RegisterNotificationWebhook,
      async ({ principal }) => {
        expectTypeOf(principal).toEqualTypeOf<Principal | undefined>()
        return {}
      },
      { verify },
    )
    // @ts-expect-error: without a verifier nobody would look at the token
    defineOperation(RegisterNotificationWebhook, async () => ({}))
    // @ts-expect-error: an operation that looks at no token needs no verifier
    defineOperation(GetHealth, async () => ({}), { verify })
    // @ts-expect-error: the body has no such field
    defineOperation(SendMessage, async ({ body }) => ({ x: body.nothing }))
  })
})
