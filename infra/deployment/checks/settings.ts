/** Checks of the settings in the environment, a line for each that is wrong. */
import { type Finding, fault, ok } from '../finding.ts'
import { settingsProblems } from '../settings.ts'

export const checkSettings = (environment: NodeJS.ProcessEnv, stage: string, region: string): Finding[] => {
  const problems = settingsProblems(environment, stage, region)
  if (problems.length === 0) return [ok('settings', 'as they are described')]
  return problems.map((problem) => fault('settings', problem))
}
