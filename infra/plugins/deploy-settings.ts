/** Serverless plugin: a deployment without token issuers, or with ones that can't be read, fails before anything is made. */
import * as v from 'valibot'
import { readSettings } from '../../lib/settings.ts'
import { RateSettings } from '../rate-settings.ts'
import type { Serverless } from '../service.ts'
import { issuerProblem } from '../token-issuers.ts'

const EXAMPLE =
  '[{"issuer":"https://id.example.org","audience":"serverless-agent","jwksUri":"https://id.example.org/jwks"}]'

export default class DeploySettings {
  readonly hooks: Record<string, () => void>

  constructor(serverless: Serverless) {
    this.hooks = {
      initialize: () => {
        if (serverless.processedInput.commands[0] !== 'deploy') return
        const problem = problemOf(process.env)
        if (problem !== undefined) throw new serverless.classes.Error(problem)
      },
    }
  }
}

/** What is wrong with the settings that a deployment takes from the environment; undefined when nothing is. */
export const problemOf = ({ TOKEN_ISSUERS, ...environment }: NodeJS.ProcessEnv): string | undefined => {
  if (TOKEN_ISSUERS === undefined || TOKEN_ISSUERS === '') return `TOKEN_ISSUERS is not set; for example ${EXAMPLE}`
  const rates = v.safeParse(RateSettings, environment)
  if (!rates.success) return `${v.getDotPath(rates.issues[0])}: ${rates.issues[0].message}`
  try {
    // The other settings that have no default come out of the template.
    const { TOKEN_ISSUERS: issuers } = readSettings({
      PUBLIC_URL: 'https://example.org',
      ...environment,
      TABLE_NAME: 'Table',
      TOKEN_ISSUERS,
    })
    return issuers.length === 0 ? 'TOKEN_ISSUERS is empty: no token would be valid' : issuerProblem(issuers)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
