#include "report/points_page.h"
dsm_status dsm__plot_pareto(dsm__plot_maker *maker, dsm__point_choice *choice, dsm_diags *diags) {
  (void)maker;
  (void)choice;
  (void)diags;
  return DSM_ERROR_USAGE;
}
