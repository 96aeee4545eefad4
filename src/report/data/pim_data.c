/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pim_data.c: plans of cores in memory: a plan is its own document. */
#include "pim/pim_record.h"
#include "report/answer.h"

DSM__READ_BY(dsm_pim_plan, dsm_pim_plan_free,
             dsm_pim_plan_parse(&made, &answer->recorded, from->text, from->length, from->file,
                                diags));

const dsm_answer_kind dsm_answer_pim = {
    .record = &dsm__pim_plan_record,
    .tables = {"over_cores"},
    .views =
        {dsm__show_pim, [DSM_FORM_PAGE] = dsm__put_pim_page, [DSM_FORM_TRACE] = dsm__put_pim_trace},
    .read = read,
    .discard = discard};
