/** The dashboard as it is deployed. */
import { describe, expect, test } from 'vitest'
import { METRICS, NAMESPACE } from '../../../../lib/metrics.ts'
import { ofType } from '../../../support/stage/template.ts'
import { resources } from './packaged.ts'

const [[, dashboard] = []] = ofType(resources, 'AWS::CloudWatch::Dashboard')
const body = Object(dashboard?.Properties.DashboardBody)['Fn::Sub'] as string
const widgets: { type: string; properties: { metrics?: unknown[][]; alarms?: string[] } }[] = JSON.parse(body).widgets
const metrics = widgets.flatMap(({ properties }) => properties.metrics ?? [])

describe('the dashboard', () => {
  test('shows every metric that the service has', () => {
    const shown = new Set(metrics.filter(([namespace]) => namespace === NAMESPACE).map(([, name]) => name))
    expect([...shown].sort()).toEqual(Object.keys(METRICS).sort())
  })

  test('shows every alarm, and refers to nothing that is not in the stack', () => {
    const alarms = ofType(resources, 'AWS::CloudWatch::Alarm').map(([id]) => id)
    const shown = widgets
      .flatMap(({ properties }) => properties.alarms ?? [])
      .map((arn) => /\$\{(\w+)\}$/.exec(arn)?.[1])
    expect(shown.sort()).toEqual(alarms.sort())
    for (const [, id = ''] of body.matchAll(/\$\{(\w+)(?:\.\w+)?\}/g)) expect(resources).toHaveProperty(id)
  })

  test('has no more metrics than are free', () => {
    const distinct = new Set(
      metrics.flatMap(([first, ...rest]) =>
        typeof first === 'string' ? [JSON.stringify([first, ...rest.slice(0, -1)])] : [],
      ),
    )
    expect(distinct.size).toBeLessThanOrEqual(50)
  })
})
