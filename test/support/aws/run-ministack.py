"""Runs ministack, and adds what its record of a failed asynchronous invocation lacks beside Lambda's: the request id.

Lambda's record says which invocation failed (`requestContext.requestId`, the id that the function saw in its context); version
1.5.33 of the emulator leaves it out. Without it nobody could tell which of several incarnations died. Nothing else is changed.
"""

import json
from contextvars import ContextVar
from types import SimpleNamespace

from ministack.app import main
from ministack.services import lambda_svc

REQUEST_ID = "millrace_request_id"
failed_request_id = ContextVar("failed_request_id", default=None)

execute = lambda_svc._execute_function_dispatch
route_failure = lambda_svc._route_async_failure


def execute_and_keep_request_id(func, config, event, request_id, started):
    result = execute(func, config, event, request_id, started)
    if isinstance(result, dict):
        result[REQUEST_ID] = request_id
    return result


def route_failure_with_request_id(target_arn, func_name, event, result):
    token = failed_request_id.set(result.get(REQUEST_ID))
    try:
        route_failure(target_arn, func_name, event, result)
    finally:
        failed_request_id.reset(token)


def dumps(value, *args, **kwargs):
    request_id = failed_request_id.get()
    if request_id is not None and isinstance(value, dict) and "requestPayload" in value:
        value["requestContext"]["requestId"] = request_id
    return json.dumps(value, *args, **kwargs)


lambda_svc._execute_function_dispatch = execute_and_keep_request_id
lambda_svc._route_async_failure = route_failure_with_request_id
lambda_svc.json = SimpleNamespace(**{**vars(json), "dumps": dumps})

main()
