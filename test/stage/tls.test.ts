/** TLS=on: the output of a stage at https, who can reach it, and that its tenants reach each other. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { localIssuer } from '../../infra/local/issuer.ts'
import { temporaryFolder } from '../support/stage/folder.ts'
import { askStage, completed, invite, newTenant, type StageTenant } from '../support/stage/party.ts'
import { endPrograms, runProgram, startProgram } from '../support/stage/program.ts'
import { npmStart, type StartedStage, whenReady } from '../support/stage/started.ts'

/** A host name that resolves to this machine. */
const PUBLIC_URL = 'https://agent.localhost/base'
const CERTIFICATE = /^Certificate: (.+) \(for NODE_EXTRA_CA_CERTS and curl --cacert\)$/

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let stage: StartedStage
let path: string
let tenants: StageTenant[]

const certificateOf = ({ lines }: StartedStage): string =>
  lines.flatMap((line) => CERTIFICATE.exec(line)?.[1] ?? []).join()

beforeAll(async () => {
  folder = await temporaryFolder()
  stage = await whenReady(npmStart({ env: { TLS: 'on', DATA_DIR: folder.path } }))
  path = certificateOf(stage)
})
afterAll(async () => {
  endPrograms()
  await folder[Symbol.asyncDispose]()
})

const end = async ({ program }: StartedStage) => {
  program.interrupt()
  expect(await program.ended()).toMatchObject({ stderr: '' })
}

test('it is at https://localhost, and its certificate is in DATA_DIR', () => {
  expect(stage.baseUrl).toMatch(/^https:\/\/localhost:\d+$/)
  expect(path).toBe(`${folder.path}/tls/cert.pem`)
})

test('a line to paste works, and nothing without its certificate or without TLS', async () => {
  const { code, stdout } = await runProgram('sh', ['-c', `${stage.lines.at(-3)} --silent --fail`])
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('"status":"ok"') })
  const { hostname, port } = new URL(stage.baseUrl)
  await expect(fetch(`https://${hostname}:${port}/health`)).rejects.toThrow()
  await expect(fetch(`http://${hostname}:${port}/health`)).rejects.toThrow()
})

test('a wallet that trusts the certificate connects', async () => {
  setDefaultCACertificates([...getCACertificates(), await readFile(path, 'utf8')])
  const { sign: token } = await localIssuer(folder.path)
  const running = { ...stage, token }
  tenants = [await newTenant(running, 'Faculty'), await newTenant(running, 'Employer')]
  const [faculty] = tenants as [StageTenant]
  const invitation = await invite(running, faculty)
  expect(invitation.invitationUrl).toContain(`${stage.baseUrl}?oob=`)
  const env = { NODE_EXTRA_CA_CERTS: path }
  const wallet = startProgram('npm', ['run', '-s', 'wallet', '--', invitation.invitationUrl], { env })
  await wallet.says(/^connected to "Faculty"/m)
  await completed(running, faculty, invitation)
  wallet.interrupt()
})

test('a tenant connects to another one of the stage', async () => {
  const [inviter, invitee] = tenants as [StageTenant, StageTenant]
  const invitation = await askStage(stage.baseUrl, inviter.token, '/oob/create-invitation', {})
  const { invitationUrl } = invitation
  await askStage(stage.baseUrl, invitee.token, '/oob/receive-invitation-url', { invitationUrl })
  await completed(stage, inviter, invitation)
})

test('a start with PUBLIC_URL has a certificate for its host too', async () => {
  const before = await readFile(path, 'utf8')
  await end(stage)
  stage = await whenReady(
    startProgram('npx', ['--no-install', 'serverless', 'offline', 'start', '--httpPort', '0'], {
      env: { TLS: 'on', DATA_DIR: folder.path, PUBLIC_URL, SLS_LOG_LEVEL: 'error' },
    }),
  )
  const ca = await readFile(path, 'utf8')
  expect(ca).not.toBe(before)
  const { port } = new URL(stage.baseUrl)
  const status = await new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/health', servername: new URL(PUBLIC_URL).hostname, ca }
    request(options, (response) => resolve(response.resume().statusCode))
      .once('error', reject)
      .end()
  })
  expect(status).toBe(200)
  await end(stage)
})

test('without DATA_DIR the certificate is deleted with the stage', async () => {
  const other = await whenReady(npmStart({ env: { TLS: 'on' } }))
  const temporary = certificateOf(other)
  expect(existsSync(temporary)).toBe(true)
  await end(other)
  expect(existsSync(temporary)).toBe(false)
})
