/** The examples of OpenID's operations in the API's document: in process, because verifiers and issuers need a URL at https. */
import { test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { exampleOf } from '../support/calls/all.ts'
import { CallScene } from '../support/calls/call-scene.ts'
import { callInProcess } from '../support/calls/in-process.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { trustIssuer } from '../support/webhooks/organization-endpoints.ts'

const issuer = await trustIssuer()
const stage = await useStage()
const call = callInProcess(stage, issuer)
const scene = await CallScene.start(call, await useWallet())

/** Session ids and hashes of certificates differ from run to run. */
const RANDOM = /(?<=^|[/=:]|%3A|%2F)[\w-]{43}(?=$|[&?/])|(?<=^|[/=]|%2F)(?!authorization-requests)[\w-]{22}(?=$|[&?/])/g

/** Codes, access tokens and nonces; JWTs and SD-JWTs; the ids in links. */
const SECRETS: [RegExp, string][] = [
  [/eyJ[\w-]{20,}\.[\w-]+\.[\w-]+(?:~[\w-]+)*~?/g, 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln'],
  [/(?:[0-9a-z]{4,10}\.)?[\w-]{22}\.[\w-]{43}/g, 'hBk4Yz.Qm9x'],
  [/(?<=offers(?:\/|%2F)|pages\/)[\w-]{22}(?![\w-])/g, 'hBk4Yz'],
]

const constant = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, one) => {
    if (name === 'userPin' || name === 'tx_code') return '4711'
    if (name === 'indexes') return [4711]
    return typeof one === 'string'
      ? SECRETS.reduce((text, [secret, shown]) => text.replaceAll(secret, shown), one)
          .replaceAll(RANDOM, 'hBk4Yz')
          .replaceAll(stage.publicUrl, 'https://agent.example')
          .replaceAll(encodeURIComponent(stage.publicUrl), encodeURIComponent('https://agent.example'))
      : one
  })

test.each([
  'CreateVerifier',
  'UpdateVerifier',
  'GetVerifiers',
  'GetVerifierById',
  'CreateTrustedIssuer',
  'GetTrustedIssuers',
  'CreatePresentationRequest',
  'GetVerificationSessions',
  'GetVerificationSessionById',
  'CompleteVerificationSession',
  'ReceivePresentation',
  'ShowPresentationRequest',
  'CreateIssuer',
  'UpdateIssuer',
  'GetIssuers',
  'GetIssuerById',
  'GetIssuerMetadata',
  'CreateCredentialOffer',
  'GetIssuanceSessions',
  'GetIssuanceSessionById',
  'UpdateIssuanceSession',
  'RevokeIssuanceSession',
  'SuspendIssuanceSession',
  'ResumeIssuanceSession',
  'RevokeStatuses',
  'GetStatusRevocation',
  'RequestToken',
  'RequestNonce',
  'RequestCredential',
  'ReceiveNotification',
  'GetCredentialOffer',
  'GetCredentialType',
  'GetIssuerKeys',
  'GetWellKnown',
  'GetWellKnownOfIssuer',
  'ShowCredentialOffer',
])('%s has its example', async (operationId) => {
  const { asked, caller } = await exampleOf(operationId, scene)
  const { body } = await call(operationId, { ...asked, caller })
  const form = typeof asked.body === 'string' ? Object.fromEntries(new URLSearchParams(asked.body)) : asked.body
  const asRequest = form === undefined ? {} : { asked: constant(form) }
  const asResponse = body === undefined ? {} : { body: constant(body) }
  await expectExample({ operationId, ...asRequest, ...asResponse } as never)
})
