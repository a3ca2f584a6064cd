/** The map of checks has each type of message that is handled, and its checks apply to them. */
import '../../../../lib/agent/compose.ts'
import { existsSync } from 'node:fs'
import { DidCommMessageHandlerRegistry } from '@credo-ts/didcomm'
import { expect, test, vi } from 'vitest'
import { agentContexts } from '../../../../lib/agent/credo/index.ts'
import { CHECKS, checkMessage } from '../../../../lib/agent/inbound/checks.ts'
import { isProblemReport } from '../../../../lib/agent/threads/index.ts'

const agentContext = (await agentContexts()).root
const checks = Object.values(CHECKS).flat()

/** A problem report has its own handler: lib/agent/inbound/problem-reports.ts. */
test('the map has exactly the types that are handled', () => {
  const { supportedMessageTypes } = agentContext.resolve(DidCommMessageHandlerRegistry)
  const handled = supportedMessageTypes.map(({ messageTypeUri }) => messageTypeUri)
  expect(Object.keys(CHECKS).toSorted()).toEqual([...new Set(handled)].filter((type) => !isProblemReport(type)).sort())
})

test('the paths of checks elsewhere exist', () => {
  const paths = checks.flatMap((check) => (check.when === 'before-handler' ? [] : [check.where]))
  expect(paths.filter((path) => !existsSync(path))).toEqual([])
  expect(paths).toContain('lib/agent/envelopes/readable-message.ts')
})

test('only a check that reports throws a problem report', () => {
  for (const check of checks)
    if (check.when === 'before-handler')
      expect('problemReport' in check.error('wrong')).toBe(check.onFailure === 'report')
})

const handle = async (type: string, message: object): Promise<boolean> => {
  const next = vi.fn(async () => {})
  await checkMessage(Object({ agentContext, message: { type: `https://didcomm.org/${type}`, ...message } }), next)
  return next.mock.calls.length === 1
}

const twice = { credentialPreview: { attributes: [{ name: 'degree' }, { name: 'degree' }] } }

test.each(['1.0/propose-credential', '1.0/offer-credential', '2.0/propose-credential', '2.0/offer-credential'])(
  'a preview that no credential can match is rejected with a problem report of the protocol: %s',
  async (type) => {
    await expect(handle(`issue-credential/${type}`, twice)).rejects.toMatchObject({
      problemReport: {
        type: `https://didcomm.org/issue-credential/${type.slice(0, 3)}/problem-report`,
        description: { en: 'an attribute is named twice', code: 'issuance-abandoned' },
      },
    })
  },
)

test('another minor version has the same checks', async () => {
  await expect(handle('issue-credential/2.7/offer-credential', twice)).rejects.toThrow('an attribute is named twice')
})

const [unchecked = ''] = Object.keys(CHECKS).filter((type) => CHECKS[type]?.length === 0)

test.each([
  unchecked.replace('https://didcomm.org/', ''),
  'unknown/1.0/message',
  'issue-credential/2.0/problem-report',
])('%s, which has no checks, is passed on', async (type) => {
  expect(await handle(type, twice)).toBe(true)
})
