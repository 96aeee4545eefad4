# SPDX-License-Identifier: GPL-3.0-or-later
"""What an inference plan would take if weights of later layers were fetched while memory is idle:
computed from the finished plan, not by dsm. The mapping stays, though another might be better."""


def memory_bytes_per_cycle(plan):
    system = plan["system"]
    memory = system["chip"]["memory"]
    return (memory["bandwidth_GBps"] * memory.get("efficiency_ratio", 1)
            / system["core"]["frequency_GHz"])


def streamed_bytes(one_pass, is_kernel):
    """What crosses the memory bus in a pass: the kernel, or all else."""
    return sum(transfer["bytes"] for transfer in one_pass["transfers"]
               if transfer["link"] == "memory" and transfer["group"] == "stream"
               and (transfer["name"] == "fetch_kernel") == is_kernel)


def invocations(plan):
    """(primary, kernel, other memory, rest) of each invocation, in cycles and in order; those of
    steady state, which fetch no kernel, in one."""
    rate = memory_bytes_per_cycle(plan)
    for layer in plan["layers"]:
        one_pass = layer["passes"]["forward"]
        kinds = one_pass["invocations"]
        fetching = kinds[0]["count"]
        kernel = streamed_bytes(one_pass, True) / fetching / rate
        other = streamed_bytes(one_pass, False) / sum(kind["count"] for kind in kinds) / rate
        for kind in kinds:
            cycles = kind["cycles"]
            rest = cycles["total"] - max(cycles["primary"], cycles["overlapped"])
            if kind is kinds[0]:
                yield from ((cycles["primary"], kernel, other, rest),) * fetching
            else:
                yield tuple(kind["count"] * part for part in (cycles["primary"], 0, other, rest))


def cycles_with(plan, ahead_bytes):
    """Cycles of a plan if at most so many bytes of weights wait on chip for their invocation. 0: as
    dsm predicts it."""
    runs = list(invocations(plan))
    room = ahead_bytes / memory_bytes_per_cycle(plan)  # in cycles of fetching
    left = [kernel for _, kernel, _, _ in runs]        # to be fetched yet
    total = waiting = 0
    ahead = 0                                          # the invocation that is fetched for
    for at, (primary, kernel, other, rest) in enumerate(runs):
        waiting -= kernel - left[at]
        busy = other + left[at]
        cycles = max(primary, busy) + rest
        total += cycles
        idle = cycles - busy
        ahead = max(ahead, at + 1)
        while ahead < len(runs):
            fetched = min(idle, left[ahead], room - waiting)
            left[ahead] -= fetched
            waiting += fetched
            idle -= fetched
            if left[ahead] > 0:
                break
            ahead += 1
    return total
