/** The suite's lines on the screen. */
import type { Result } from './play.ts'

/** `ok      did-exchange-peer-4 1.7.0: DID Exchange 1.1: connects with a did:peer:4 (2.1 s)` */
export const tellResult = ({ scenario, version, failure, milliseconds }: Result): void => {
  const { name, protocol, title } = scenario
  const seconds = (milliseconds / 1000).toFixed(1)
  console.log(`${failure === undefined ? 'ok    ' : 'FAILED'} ${name} ${version}: ${protocol}: ${title} (${seconds} s)`)
  if (failure !== undefined) console.log(`       ${failure}`)
}

export const tellCounts = (results: readonly Result[]): void => {
  const failed = results.filter(({ failure }) => failure !== undefined).length
  console.log(`\nACA-Py: ${results.length - failed} passed, ${failed} failed`)
}
