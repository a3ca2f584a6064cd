/** Wake-ups that failed for good by a fault of our code: enters their lanes into the index that the sweep reads. */
import type { SQSEvent } from 'aws-lambda'
import { recover } from '../lib/outbox/timer.ts'

export const recoverWakeUps = ({ Records }: SQSEvent): Promise<void> => recover(Records)
