/** The line of the log that tells that an endpoint was disabled, and counts it as a metric. */
import { log } from '../log.ts'
import { settings } from '../settings.ts'
import type { Endpoint } from './endpoint-item.ts'

const NAMESPACE = 'serverless-agent'

/**
 * CloudWatch makes a metric of a line in its embedded metric format. It counts by table, of which each stage has one.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export const logDisabled = (
  { orgId, id, kind, disabledReason, failingSince, lastError }: Endpoint,
  now: number,
): void =>
  // An error, so that no level but `silent` loses the metric.
  log('error', 'endpoint disabled', {
    event: 'webhook.endpoint_disabled',
    orgId,
    endpointId: id,
    kind,
    reason: disabledReason,
    failingSince,
    lastError,
    Table: settings().TABLE_NAME,
    EndpointDisabled: 1,
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [
        { Namespace: NAMESPACE, Dimensions: [['Table']], Metrics: [{ Name: 'EndpointDisabled', Unit: 'Count' }] },
      ],
    },
  })
