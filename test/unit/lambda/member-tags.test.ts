/** What a deployed member says of itself to the assignor. */
import { describe, expect, it } from 'vitest';
import { memberTags } from '../../../lib/lambda/member-tags.js';
import { InvalidSettingError } from '../../../lib/model/errors.js';
import { createTestHost } from '../../support/test-host.js';

const { logger } = createTestHost();
const lambda = { AWS_LAMBDA_METADATA_API: '169.254.100.1:9001', AWS_LAMBDA_METADATA_TOKEN: 'secret' };

describe('tags of a deployed member', () => {
  it('are those of the environment variable', async () => {
    const tags = await memberTags({ MILLRACE_MEMBER_TAGS: 'zone=use1-az1, disk = large' }, logger);

    expect(tags).toEqual({ zone: 'use1-az1', disk: 'large' });
    expect(await memberTags({ MILLRACE_MEMBER_TAGS: '' }, logger)).toEqual({});
  });

  it('have the zone that the metadata endpoint tells, unless the operator has named one', async () => {
    const asked: unknown[] = [];
    const readJson = async (...question: unknown[]) => {
      asked.push(question);
      return { AvailabilityZoneID: 'use1-az2' };
    };

    expect(await memberTags({ ...lambda, MILLRACE_MEMBER_TAGS: 'disk=large' }, logger, readJson)).toEqual({
      disk: 'large',
      zone: 'use1-az2',
    });
    expect(await memberTags({ ...lambda, MILLRACE_MEMBER_TAGS: 'zone=a' }, logger, readJson)).toEqual({ zone: 'a' });
    expect(asked).toEqual([
      [
        'http://169.254.100.1:9001/2026-01-15/metadata/execution-environment',
        { Authorization: 'Bearer secret' },
        expect.any(Number),
      ],
    ]);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('refused'))],
    ['names none', () => Promise.resolve({})],
  ])('have no zone where the endpoint %s', async (_, readJson) => {
    expect(await memberTags(lambda, logger, readJson)).toEqual({});
  });

  it.each([['zone'], ['=a'], ['zone='], ['zone=a,b']])('are refused where they make no sense: %s', async (text) => {
    await expect(memberTags({ MILLRACE_MEMBER_TAGS: text }, logger)).rejects.toThrow(InvalidSettingError);
  });
});
