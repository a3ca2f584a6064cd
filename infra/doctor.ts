/**
 * `npm run doctor`: runs `serverless check`. If Serverless does not start, as for an unknown region, reports that as a
 * finding.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { checkStageName } from './deployment/checks/template.ts'
import { type Finding, findingsOf, toLine } from './deployment/finding.ts'

const SERVERLESS = join(import.meta.dirname, '../node_modules/serverless/bin/serverless.js')

const OPTIONS = {
  json: { type: 'boolean' },
  stage: { type: 'string', short: 's' },
  region: { type: 'string', short: 'r' },
} as const

/** Matches output that contains findings, as lines or JSON. */
const HAS_FINDINGS = /^(ok|warning|FAULT) +[^:]+: |^\{$/m

/** The finding for the error with which Serverless ended before any check. */
const findingOf = (output: string, region: string | undefined): Finding[] => {
  if (/'provider\.region'/.test(output))
    return findingsOf('region').fault(
      `${region} is not a region that Serverless knows: --region or AWS_REGION names one`,
    )
  const [, message = output] = /^Error:\n([\s\S]*)$/m.exec(output) ?? []
  return findingsOf('serverless').fault(message.replaceAll(/\s+/g, ' ').trim().slice(0, 500))
}

const write = (findings: Finding[], asJson: boolean): void => {
  const lines = findings.map((finding) => `${toLine(finding)}\n`).join('')
  process.stdout.write(asJson ? `${JSON.stringify({ ok: false, findings }, null, 2)}\n` : lines)
  process.exitCode = 1
}

const main = async (args: string[]): Promise<void> => {
  const { values } = parseArgs({ args, options: OPTIONS, strict: false })
  const asJson = values.json === true
  const ofStage = typeof values.stage === 'string' ? checkStageName(values.stage, []) : []
  if (ofStage.length > 0) return write(ofStage, asJson)
  const child = spawn(process.execPath, [SERVERLESS, 'check', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (HAS_FINDINGS.test(stdout)) {
    process.stdout.write(stdout)
    process.stderr.write(stderr)
    process.exitCode = code ?? 1
  } else {
    const { AWS_REGION, AWS_DEFAULT_REGION } = process.env
    const region = typeof values.region === 'string' ? values.region : (AWS_REGION ?? AWS_DEFAULT_REGION)
    write(findingOf(`${stdout}${stderr}`, region), asJson)
  }
}

await main(process.argv.slice(2))
